import { expect, test } from 'vitest'
import type { User } from '../../../contract/records/records.ts'
import { createFormerUsers } from './former_users.ts'

const userOf = (userId: string, keys: readonly string[], passkeys: readonly string[] = []): User =>
  JSON.parse(
    JSON.stringify({
      userId,
      apiKeys: keys.map((publicKey) => ({ publicKey })),
      authenticators: passkeys.map((credentialId) => ({ credentialId })),
    }),
  )

test('remembers each removed credential alone, and a removed user', () => {
  const former = createFormerUsers()
  former.note(undefined, userOf('ada', ['a', 'b'], ['p']))
  former.note(userOf('ada', ['a', 'b'], ['p']), userOf('ada', ['b', 'c'], ['p']))
  expect(former.of('ada')).toEqual([userOf('ada', ['a'])])
  former.note(userOf('ada', ['b', 'c'], ['p']), undefined)
  const each = [userOf('ada', ['a']), userOf('ada', ['b']), userOf('ada', ['c']), userOf('ada', [], ['p'])]
  expect(former.of('ada')).toEqual([...each, userOf('ada', [])])
  expect(former.of('bob')).toEqual([])
})

test('keeps the latest ones, and says that it has forgotten some', () => {
  const former = createFormerUsers(2)
  for (const key of ['a', 'b']) former.note(userOf('ada', [key]), userOf('ada', []))
  expect(former.areWhole()).toBe(true)
  former.note(userOf('ada', ['c']), userOf('ada', []))
  expect([former.areWhole(), former.of('ada')]).toEqual([false, [userOf('ada', ['b']), userOf('ada', ['c'])]])
})
