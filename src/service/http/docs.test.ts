import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chromiumFlags } from '../../../test/support/browser.ts'
import { needsDebian } from '../../../test/support/debian.ts'
import { operations } from '../../operations/catalogue.ts'
import { type Listening, startHttp } from './fixtures.ts'

const assetsFolder = join(import.meta.dirname, 'assets')

let server: Listening
beforeAll(async () => {
  server = await startHttp()
})
afterAll(() => server.close())

test('the page names no other host, and brings no script or style in the markup', async () => {
  for (const name of await readdir(assetsFolder)) {
    const text = await readFile(join(assetsFolder, name), 'utf8')
    expect(text, name).not.toMatch(/[a-z]+:\/\/|src="\/\/|url\(/)
    expect(text, name).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/)
    if (name.endsWith('.html')) expect(text, name).not.toMatch(/<style|style=|<script(?! src=)|\son[a-z]+=/)
  }
})

test('everything that the page loads is there', async () => {
  const html = await (await fetch(`${server.url}/docs`)).text()
  const script = await (await fetch(`${server.url}/docs/docs.js`)).text()
  const loaded = [...html.matchAll(/(?:href|src)="([^"]+)"/g), ...script.matchAll(/fetch\('([^']+)'/g)].map(
    ([, to]) => to,
  )
  expect(loaded).toHaveLength(4)
  for (const path of loaded) expect((await fetch(server.url + path)).status, path).toBe(200)
})

test('a browser shows every operation, and the fields of the one that the address names', async (context) => {
  const chromium = needsDebian('chromium', context)
  const dom = await domOf(chromium, `${server.url}/docs#sign_raw_payload`)
  for (const { name, path, summary } of operations) {
    expect(dom).toContain(`id="${name}"`)
    expect(dom).toContain(`<code>${path}</code>`)
    expect(dom).toContain(summary)
  }
  expect(dom).toContain('<code class="name">hashFunction</code>')
  expect(dom).toContain('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2')
  expect(dom).toContain('Request, older type')
  expect(dom).toContain('Version 1.2.3.')
})

/** The page's markup after its scripts ran. */
async function domOf(chromium: string, url: string): Promise<string> {
  const profile = await mkdtemp(join(tmpdir(), 'claviger-chromium-'))
  try {
    const flags = [...chromiumFlags(profile), '--virtual-time-budget=5000', '--dump-dom']
    const { stdout } = await promisify(execFile)(chromium, [...flags, url], { maxBuffer: 64 * 1024 * 1024 })
    return stdout
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 10 })
  }
}
