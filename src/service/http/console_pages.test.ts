import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Listening, startHttp } from '../../../test/support/http_server.ts'

const script = 'export const answer = 42\n'.repeat(100)
/** Too small to be compressed. */
const smallScript = 'export {}'

/** What a build leaves, as far as the server knows it. */
function builtFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-console-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<meta nonce="__STYLE_NONCE__"><link nonce="__STYLE_NONCE__">')
  writeFileSync(join(folder, 'assets', 'index-abc.js'), script)
  writeFileSync(join(folder, 'assets', 'index-abc.js.br'), brotliCompressSync(script))
  writeFileSync(join(folder, 'assets', 'index-abc.js.gz'), gzipSync(script))
  writeFileSync(join(folder, 'assets', 'index-abc.js.map'), '{}')
  writeFileSync(join(folder, 'assets', 'small-abc.js'), smallScript)
  return folder
}

let server: Listening
beforeAll(async () => {
  server = await startHttp({ consoleFolder: builtFolder() })
})
afterAll(() => server.close())

const nonceIn = (policy: string | null) => /style-src 'nonce-([\w+/=]{24})'/.exec(policy ?? '')?.[1]

test('each load has a nonce of its own, in the page and in its policy', async () => {
  const nonces = new Set<string | undefined>()
  for (let load = 0; load < 3; load += 1) {
    const response = await fetch(`${server.url}/`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const nonce = nonceIn(response.headers.get('content-security-policy'))
    expect(await response.text()).toBe(`<meta nonce="${nonce}"><link nonce="${nonce}">`)
    nonces.add(nonce)
  }
  expect(nonces.size).toBe(3)
  expect(nonces).not.toContain(undefined)
})

test('the page runs no script of its markup, is in no frame, and is not kept', async () => {
  const { headers } = await fetch(`${server.url}/`)
  const policy = headers.get('content-security-policy')?.replace(/nonce-[^']+/, 'nonce')
  expect(policy).toBe(
    "default-src 'none'; script-src 'self'; style-src 'nonce'; img-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('its files are kept for good, and sent compressed to browsers that take that', async () => {
  for (const [accepted, file, encoding, text] of [
    ['gzip, deflate, br', 'index-abc.js', 'br', script],
    ['gzip;q=1.0, br;q=0', 'index-abc.js', 'gzip', script],
    ['deflate, gzip; q=0.5', 'index-abc.js', 'gzip', script],
    ['gzip;q=0, brotli', 'index-abc.js', null, script],
    ['gzip', 'index-abc.js', 'gzip', script],
    ['identity', 'index-abc.js', null, script],
    ['gzip, deflate, br', 'small-abc.js', null, smallScript],
  ] as const) {
    const response = await fetch(`${server.url}/assets/${file}`, { headers: { 'accept-encoding': accepted } })
    expect(response.headers.get('content-encoding')).toBe(encoding)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('vary')).toBe('accept-encoding')
    expect(await response.text()).toBe(text)
  }
})

test('nothing else of the folder is served', async () => {
  for (const path of [
    '/index.html',
    '/assets/index-abc.js.map',
    '/assets/index-abc.js.br',
    '/assets/index-abc.js.gz',
    '/assets/',
    '/assets/../index.html',
    '/assets/none.js',
  ]) {
    expect((await fetch(server.url + path)).status, path).toBe(404)
  }
})

test('where the console is not built, the page says so', async () => {
  const without = await startHttp({ consoleFolder: mkdtempSync(join(tmpdir(), 'claviger-empty-')) })
  const response = await fetch(`${without.url}/`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(await response.text()).toContain('npm ci')
  await without.close()
})
