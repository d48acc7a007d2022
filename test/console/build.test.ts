import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { plainEnvironment, repositoryFolder } from '../support/running_server.ts'

test('the console that was there stays whole until another one is built, which takes its place', async () => {
  const checkout = mkdtempSync(join(tmpdir(), 'claviger-built-'))
  const console = join(checkout, 'console')
  const isSource = (path: string) => !path.startsWith(join(repositoryFolder, 'console', 'dist'))
  cpSync(join(repositoryFolder, 'console'), console, { recursive: true, filter: isSource })
  for (const name of ['src', 'node_modules', 'package.json', 'tsconfig.json']) {
    symlinkSync(join(repositoryFolder, name), join(checkout, name))
  }
  const dist = join(console, 'dist')
  const page = () => readFileSync(join(dist, 'index.html'), 'utf8')
  mkdirSync(dist)
  writeFileSync(join(dist, 'index.html'), 'before')
  const build = () => spawn(process.execPath, ['console/build.ts'], { cwd: checkout, env: plainEnvironment() })

  const killed = build()
  while (globSync('{dist,.dist-*/dist}/assets/*.js', { cwd: console }).length === 0) await setTimeout(5)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  expect(page()).toBe('before')

  // Both at once: npm builds the console for `npm pack` and for the first `npx` of a checkout.
  const ends = await Promise.all([build(), build()].map((child) => once(child, 'exit')))
  expect(ends).toEqual([
    [0, null],
    [0, null],
  ])
  const named = [...page().matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, path]) => path)
  expect(named.length).toBeGreaterThan(1)
  const files = globSync('assets/*', { cwd: dist })
  expect(files).toEqual(expect.arrayContaining(named))
  expect(files.filter((path) => path.endsWith('.br')).length).toBeGreaterThan(10)
})
