import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from './make_folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'claviger-folder-'))

test('a folder is made with those above it, for this user alone', async () => {
  const path = join(folder, 'a', 'b', 'c')
  expect(await Promise.all([makeFolder(path), makeFolder(path)])).toContain(true)
  expect([path, join(folder, 'a')].map((made) => statSync(made).mode & 0o777)).toEqual([0o700, 0o700])
  expect(await makeFolder(path)).toBe(false)
})

test('a file in its place or above it is an error', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  await expect(makeFolder(file)).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(makeFolder(join(file, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})

test.runIf(existsSync('/proc/self'))('where no folder can be made the attempt ends', async () => {
  await expect(makeFolder('/proc/claviger/data')).rejects.toMatchObject({ code: 'ENOENT' })
})
