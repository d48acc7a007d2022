import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lockFile } from './file_lock.ts'

const freshPath = () => join(mkdtempSync(join(tmpdir(), 'claviger-lock-')), 'lock')

/**
 * A program that takes the lock, prints whether it has the lock, and runs until its input ends. It keeps a reference,
 * because a lock without one is collected.
 */
const program = `import { lockFile } from ${JSON.stringify(join(import.meta.dirname, 'file_lock.ts'))}
  globalThis.lock = lockFile(process.argv[1])
  console.log(globalThis.lock === undefined ? 'refused' : 'held'); process.stdin.resume()`
const flags = ['--input-type=module', '--no-warnings', '-e', program]

const lockedElsewhere = (path: string) =>
  spawnSync(process.execPath, [...flags, path], { encoding: 'utf8', input: '' }).stdout

test('a lock is held once, within a process too, until it is released', () => {
  const path = freshPath()
  const first = lockFile(path)
  expect(first).toBeDefined()
  expect(lockFile(path)).toBe(undefined)
  expect(lockedElsewhere(path)).toBe('refused\n')
  first?.release()
  const second = lockFile(path)
  expect(second).toBeDefined()
  second?.release()
})

test('another process is refused, and gets the lock once the holder was killed', async () => {
  const path = freshPath()
  const holder = spawn(process.execPath, [...flags, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [said] = await once(holder.stdout, 'data')
  expect(String(said)).toBe('held\n')
  expect(lockFile(path)).toBe(undefined)
  expect(lockedElsewhere(path)).toBe('refused\n')
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const lock = lockFile(path)
  expect(lock).toBeDefined()
  lock?.release()
})

test('the file is for its owner only', () => {
  const path = freshPath()
  lockFile(path)?.release()
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a file that is something else is an error, not a lock', () => {
  const path = freshPath()
  writeFileSync(path, 'a text of somebody, longer than the header of a database has any need to be. '.repeat(20))
  expect(() => lockFile(path)).toThrow(`cannot lock ${path}`)
})
