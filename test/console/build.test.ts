import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { mountedFolder } from '../support/mounts.ts'
import { plainEnvironment, repositoryFolder } from '../support/running_server.ts'

/** Makes a checkout with a console that was built before. */
function makeCheckout(folder: string): void {
  const isSource = (path: string) => !path.startsWith(join(repositoryFolder, 'console', 'dist'))
  cpSync(join(repositoryFolder, 'console'), join(folder, 'console'), { recursive: true, filter: isSource })
  for (const name of ['src', 'node_modules', 'package.json', 'tsconfig.json']) {
    symlinkSync(join(repositoryFolder, name), join(folder, name))
  }
  const dist = join(folder, 'console', 'dist')
  mkdirSync(dist)
  writeFileSync(join(dist, 'index.html'), 'before')
}

const build = (cwd: string) =>
  spawn(process.execPath, ['console/build.ts'], {
    cwd,
    env: plainEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit'],
  })

const pageIn = (checkout: string) => readFileSync(join(checkout, 'console', 'dist', 'index.html'), 'utf8')

/** The page and all that it loads are there, and the copies for browsers that take Brotli. */
function expectWhole(checkout: string): void {
  const named = [...pageIn(checkout).matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, path]) => path)
  expect(named.length).toBeGreaterThan(1)
  const files = globSync('assets/*', { cwd: join(checkout, 'console', 'dist') })
  expect(files).toEqual(expect.arrayContaining(named))
  expect(files.filter((path) => path.endsWith('.br')).length).toBeGreaterThan(10)
}

test('the console that was there stays whole until another one is built, which takes its place', async () => {
  const checkout = mkdtempSync(join(tmpdir(), 'claviger-built-'))
  makeCheckout(checkout)

  const killed = build(checkout)
  const begun = '{dist,.dist-*/dist}/assets/*.js'
  while (globSync(begun, { cwd: join(checkout, 'console') }).length === 0) await setTimeout(5)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  expect(pageIn(checkout)).toBe('before')

  // Both at once: npm builds the console for `npm pack` and for the first `npx` of a checkout.
  const ends = await Promise.all([build(checkout), build(checkout)].map((child) => once(child, 'exit')))
  expect(ends).toEqual([
    [0, null],
    [0, null],
  ])
  expectWhole(checkout)
})

test('a console from a lower layer of an image, whose folder cannot be renamed, is built anew', async (context) => {
  const layers = mountedFolder(context, 'tmpfs', 'size=64m')
  const [lower, upper, work] = [join(layers, 'lower'), join(layers, 'upper'), join(layers, 'work')]
  for (const folder of [lower, upper, work]) mkdirSync(folder)
  makeCheckout(lower)
  const image = mountedFolder(context, 'overlay', `lowerdir=${lower},upperdir=${upper},workdir=${work}`)
  expect(await once(build(image), 'exit')).toEqual([0, null])
  expectWhole(image)
  expect(globSync('.dist-*', { cwd: join(image, 'console') })).toEqual([])
})
