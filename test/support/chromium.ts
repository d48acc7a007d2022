/** Debian's Chromium: one browser that the whole run shares, or one of its own for a test that needs other flags. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { endGroupOf, foundAtStart, startOnce } from './start_once.ts'

const variable = 'CLAVIGER_TEST_CHROMIUM'
const startMsMax = 30_000

/** Called before all tests. Nothing starts before the first test that needs a browser. Returns what ends it. */
export function planChromium(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-chromium-'))
  process.env[variable] = folder
  return () => endGroupOf(folder)
}

/** The address of the shared browser for the DevTools protocol. */
export async function sharedChromium(chromium: string): Promise<string> {
  const folder = process.env[variable]
  if (folder === undefined) throw new Error(`${variable} is not set: the tests run without their global setup`)
  await startOnce(folder, async () => {
    const child = startChromium(chromium, folder, [])
    child.unref()
    await addressIn(folder, child)
  })
  return readAddress(folder)
}

/** Starts a browser with further flags for one test, whose end ends it. Returns its address for the DevTools protocol. */
export async function ownChromium(chromium: string, flags: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'claviger-chromium-'))
  const child = startChromium(chromium, folder, flags)
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    endGroupOf(folder) // Debian's program is a script that starts another one
    await exited
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  })
  return addressIn(folder, child)
}

/** A browser with an empty profile that has no reason to connect anywhere but to the page's server. */
function startChromium(chromium: string, folder: string, given: readonly string[]): ChildProcess {
  const flags = [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
    ...['--disable-background-networking', '--disable-component-update', `--user-data-dir=${join(folder, 'profile')}`],
    // The pages of several tests are open at once: none of them is slower because another one is in front.
    ...['--disable-background-timer-throttling', '--disable-backgrounding-occluded-windows'],
    '--disable-renderer-backgrounding',
  ]
  const log = openSync(join(folder, 'log'), 'w')
  const child = spawn(chromium, [...flags, ...given, '--remote-debugging-port=0', 'about:blank'], {
    stdio: ['ignore', 'ignore', log],
    detached: true, // a group of its own, which a signal ends as a whole
  })
  writeFileSync(join(folder, 'pid'), String(child.pid))
  return child
}

async function addressIn(folder: string, child: ChildProcess): Promise<string> {
  const address = await foundAtStart(child, startMsMax, () => readAddress(folder).catch(() => undefined))
  if (address !== undefined) return address
  throw new Error(`the browser did not start:\n${await readFile(join(folder, 'log'), 'utf8')}`)
}

/** Chromium writes its port and its path there once it listens. */
async function readAddress(folder: string): Promise<string> {
  const [port, path] = (await readFile(join(folder, 'profile/DevToolsActivePort'), 'utf8')).split('\n')
  if (path === undefined) throw new Error('the file is half written')
  return `ws://127.0.0.1:${port}${path}`
}
