import { expect, test } from 'vitest'
import { isOpenToOthers } from './file_mode.ts'

test.each([
  [0o100600, { uid: 1000, gid: 1000 }, 1000, false],
  [0o100400, { uid: 1000, gid: 1000 }, 1000, false],
  [0o100640, { uid: 1000, gid: 1000 }, 1000, true],
  [0o100660, { uid: 1000, gid: 1000 }, 1000, true],
  [0o100604, { uid: 1000, gid: 1000 }, 1000, true],
  [0o100440, { uid: 1000, gid: 0 }, 1000, true],
  // As systemd gives it to a unit of user 1000.
  [0o100440, { uid: 0, gid: 0 }, 1000, false],
  [0o100460, { uid: 0, gid: 0 }, 1000, true],
  [0o100444, { uid: 0, gid: 0 }, 1000, true],
  [0o100440, { uid: 0, gid: 0 }, 0, true],
])('a file of mode %o and owner %o, read by user %i: open to others is %s', (mode, owner, reader, expected) => {
  expect(isOpenToOthers({ mode, ...owner }, reader)).toBe(expected)
})
