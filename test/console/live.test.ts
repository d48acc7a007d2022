import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ethereumAccount, newUserOf, serverClient } from '../support/clients.ts'
import { addPasskeyToAccount, type ConsolePage, logInByFile, openConsole } from '../support/console.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'

let server: RunningServer
/** With the root user, half of a root quorum of two. */
let asker: ReturnType<typeof serverClient>
let signWith: string
beforeAll(async () => {
  server = await startRunningServer()
  const root = serverClient(server)
  const { addresses } = await root.createWallet({ walletName: 'Treasury', accounts: [ethereumAccount()] })
  signWith = addresses[0] ?? ''
  const { userId, credentials } = await newUserOf(root, 'Grace')
  asker = serverClient(server, 'spec', credentials)
  await root.updateRootQuorum({ threshold: 2, userIds: [server.credentials.userId, userId] })
})
afterAll(() => server.stop())

const askFor = (walletName: string) => asker.createWallet({ walletName, accounts: [] })

async function rejectAll(): Promise<void> {
  const root = serverClient(server)
  const { activities } = await root.getActivities({ filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] })
  for (const { fingerprint } of activities) await root.rejectActivity({ fingerprint })
}

const asksOf = (page: ConsolePage) =>
  page.evaluate<readonly { path: string; accept: string; bytes: number }[]>(`() => globalThis.asked`)

/** Keeps what the page asks for. `intervals: 'stopped'`: the page asks nothing by itself from time to time. */
async function listen(page: ConsolePage, { intervals }: { readonly intervals: 'run' | 'stopped' }): Promise<void> {
  const source = `
    globalThis.asked = []
    const given = globalThis.fetch
    globalThis.fetch = async (url, options) => {
      const entry = { path: String(url).split('/').at(-1), accept: options?.headers?.accept ?? '', bytes: 0 }
      globalThis.asked.push(entry)
      const answer = await given(url, options)
      if (entry.accept === '') entry.bytes = (await answer.clone().text()).length
      return answer
    }
    if (${intervals === 'stopped'}) globalThis.setInterval = () => 0`
  await page.send('Page.addScriptToEvaluateOnNewDocument', { source })
  await page.reload()
}

test('what others do is shown without a poll, also after the server was started again, and nothing is read twice', {
  timeout: 180_000,
}, async (context) => {
  for (let index = 0; index < 3; index += 1) {
    const payload = String(index).padEnd(900_000, 'x')
    const form = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' } as const
    await asker.signRawPayload({ signWith, payload, ...form })
  }
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await page.go('/inbox')
  await listen(page, { intervals: 'stopped' })
  await page.shows('Inbox')
  const explained = async () => (await asksOf(page)).filter(({ path }) => path === 'explain_activity').length
  await expect.poll(explained, { timeout: 20_000 }).toBe(3)
  const first = await asksOf(page)
  expect(first.filter(({ accept }) => accept !== '')).toMatchObject([{ path: 'watch_activities' }])

  await askFor('First of the others')
  await page.shows('First of the others')
  await askFor('Second of the others')
  await page.shows('Second of the others')
  const later = (await asksOf(page)).slice(first.length)
  expect(later.filter(({ path }) => path === 'get_activity')).toHaveLength(2)
  expect(later.filter(({ path }) => path === 'explain_activity')).toHaveLength(2)
  expect(later.filter(({ path }) => path === 'list_activities')).toEqual([])
  expect(later.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(100_000)

  const { port } = new URL(server.url)
  await server.stop()
  server = await startRunningServer({ folder: server.folder, flags: ['--port', port] })
  await expect
    .poll(async () => (await asksOf(page)).filter(({ accept }) => accept !== '').length, { timeout: 40_000 })
    .toBeGreaterThan(1)
  await askFor('Third of the others')
  await page.shows('Third of the others')
  await rejectAll()
  await page.shows('Nothing waits')
})

test('what changes between two watches is shown when the second begins', async (context) => {
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await listen(page, { intervals: 'stopped' })
  await page.shows('Latest activities')
  const watches = async () => (await asksOf(page)).filter(({ accept }) => accept !== '').length
  await expect.poll(watches).toBe(1)
  await page.evaluate(`() => {
    const given = globalThis.fetch
    globalThis.fetch = async (url, options) => {
      if (options?.headers?.accept !== undefined) await new Promise((resolve) => { globalThis.goOn = resolve })
      return given(url, options)
    }
  }`)
  await addPasskeyToAccount(page) // the session has another passkey, so the page begins a new watch
  await page.evaluate(`async () => {
    while (globalThis.goOn === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
  }`)
  await askFor('Between two watches')
  await page.evaluate('() => globalThis.goOn()')
  await page.go('/inbox')
  await page.shows('Between two watches')
  await rejectAll()
})

test('behind a proxy that keeps answers until they are whole, the page asks as often as before', {
  timeout: 180_000,
}, async (context) => {
  const proxy = await startBufferingProxy(server)
  const page = await openConsole(context, server, { origin: proxy.origin })
  await logInByFile(page, server)
  await page.go('/inbox')
  await listen(page, { intervals: 'run' })
  await page.shows('Nothing waits')
  await expect.poll(() => proxy.givenUp(), { timeout: 30_000 }).toBeGreaterThan(0)
  for (const name of ['First behind the proxy', 'Second behind the proxy']) {
    await askFor(name)
    await expect
      .poll(() => page.evaluate(`(text) => document.body.innerText.includes(text)`, name), { timeout: 20_000 })
      .toBe(true)
  }
})

/** A proxy that passes an answer on once all of it is there, as some do that scan or compress. */
async function startBufferingProxy({ url }: RunningServer) {
  let givenUp = 0
  const proxy = createServer((incoming, outgoing) => {
    const onward = request(new URL(incoming.url ?? '/', url), { method: incoming.method, headers: incoming.headers })
    incoming.pipe(onward)
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => {
      if (outgoing.writableEnded) return
      givenUp += 1
      onward.destroy()
    })
    onward.on('response', async (answer) => {
      const chunks = await answer.toArray().catch(() => [])
      const { 'transfer-encoding': _, ...headers } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 502, headers)
      outgoing.end(Buffer.concat(chunks))
    })
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.close()
    proxy.closeAllConnections()
  })
  const { port } = proxy.address() as AddressInfo
  return { origin: `http://localhost:${port}`, givenUp: () => givenUp }
}
