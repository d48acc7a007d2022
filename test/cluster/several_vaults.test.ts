import { setTimeout } from 'node:timers/promises'
import { ApiKeyStamper } from '@turnkey/api-key-stamper'
import { expect, onTestFinished, test } from 'vitest'
import { activityRequest } from '../support/client.ts'
import { isRunning, processesBelow, type RunningServer, startRunningServer } from '../support/running_server.ts'

/** A real server with three vaults. Besides these there is the process that keeps their books. */
const vaults = 3

async function startSeveral(flags: readonly string[] = []): Promise<RunningServer> {
  const server = await startRunningServer({ flags: ['--vaults', String(vaults), ...flags] })
  onTestFinished(async () => {
    await server.end('SIGTERM')
  })
  // It answers with the first, and the others follow one after the other: all but the last have joined the books.
  await until(() => processesOf(server).deciders.length === vaults)
  return server
}

/** The process of the books, and those of the vaults, which are below it. */
function processesOf({ pid }: RunningServer): { readonly books: number; readonly deciders: readonly number[] } {
  const all = processesBelow(pid).filter(({ command }) => command.includes('vault'))
  const deciders = all.filter(({ command }) => command.endsWith('decider')).map((running) => running.pid)
  const books = all.find(({ command }) => !command.endsWith('decider'))
  if (books === undefined) throw new Error('nothing keeps the books')
  return { books: books.pid, deciders }
}

async function makeTag({ url, credentials }: RunningServer, userTagName: string): Promise<number> {
  const { organizationId, apiPublicKey, apiPrivateKey } = credentials
  const given = { organizationId, timestampMs: Date.now(), parameters: { userTagName, userIds: [] } }
  const { path, body } = activityRequest('create_user_tag', given)
  const stamp = await new ApiKeyStamper({ apiPublicKey, apiPrivateKey }).stamp(body)
  const headers = { [stamp.stampHeaderName]: stamp.stampHeaderValue }
  return (await fetch(new URL(path, url), { method: 'POST', headers, body })).status
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setTimeout(50)
}

test('a vault that dies is started again, and the others answer meanwhile', { timeout: 120_000 }, async () => {
  const server = await startSeveral()
  const { books, deciders } = processesOf(server)
  const [killed = 0] = deciders
  process.kill(killed, 'SIGKILL')
  for (let tag = 0; tag < 5; tag += 1) expect(await makeTag(server, `tag ${tag}`)).toBe(200)
  await until(() => !processesOf(server).deciders.includes(killed) && processesOf(server).deciders.length === vaults)
  expect(processesOf(server).books).toBe(books)
  expect(processesOf(server).deciders).toEqual(expect.arrayContaining(deciders.slice(1)))
})

test('a vault that takes no news is ended before a change is acknowledged', { timeout: 120_000 }, async () => {
  const server = await startSeveral()
  const { deciders } = processesOf(server)
  const stopped = deciders.slice(1, -1)
  for (const pid of stopped) process.kill(pid, 'SIGSTOP')
  // The request may be for a vault that stands still. Then another one answers the next.
  const statuses: number[] = []
  while (statuses.at(-1) !== 200) statuses.push(await makeTag(server, `tag ${statuses.length}`))
  const running = processesBelow(server.pid).map(({ pid }) => pid)
  for (const pid of stopped) expect(running).not.toContain(pid)
  expect(new Set(statuses.slice(0, -1))).toEqual(statuses.length === 1 ? new Set() : new Set([503]))
})

test('books that die end all vaults of the node', { timeout: 120_000 }, async () => {
  const server = await startSeveral()
  const before = processesOf(server)
  process.kill(before.books, 'SIGKILL')
  await until(() => processesBelow(server.pid).every(({ pid }) => !before.deciders.includes(pid)))
  let status = 503
  while (status !== 200) {
    status = await makeTag(server, `tag ${Date.now()}`)
    expect([200, 503]).toContain(status)
    await setTimeout(100)
  }
  await until(() => processesOf(server).deciders.length === vaults)
})

async function readinessOf({ url }: RunningServer): Promise<readonly [status: number, reasons: readonly string[]]> {
  const answer = await fetch(`${url}/readyz`)
  const { reasons }: { readonly reasons: readonly string[] } = JSON.parse(await answer.text())
  return [answer.status, reasons]
}

test('a node none of whose vaults answers is not ready', { timeout: 120_000 }, async () => {
  const server = await startSeveral()
  await expect.poll(() => readinessOf(server), { timeout: 60_000 }).toEqual([200, []])
  const notReady = [503, ['the vault does not answer: no vault of this node answers']]
  for (const pid of processesOf(server).deciders) process.kill(pid, 'SIGSTOP')
  expect(await readinessOf(server)).toEqual(notReady)
  for (const pid of processesOf(server).deciders) process.kill(pid, 'SIGKILL')
  await expect.poll(() => readinessOf(server), { interval: 10 }).toEqual(notReady)
  await expect.poll(() => readinessOf(server), { timeout: 60_000 }).toEqual([200, []])
})

test('a node whose books stand still is not ready', { timeout: 120_000 }, async () => {
  const server = await startSeveral()
  const { books } = processesOf(server)
  process.kill(books, 'SIGSTOP')
  const [status, reasons] = await readinessOf(server)
  process.kill(books, 'SIGCONT')
  expect([status, reasons]).toEqual([503, [expect.stringMatching(/^the vault does not answer: /)]])
  await expect.poll(() => readinessOf(server), { timeout: 60_000 }).toEqual([200, []])
})

test('a server ends although its vaults stand still, and leaves none behind', { timeout: 120_000 }, async () => {
  const server = await startSeveral()
  const { deciders } = processesOf(server)
  for (const pid of deciders) process.kill(pid, 'SIGSTOP')
  await server.end('SIGTERM')
  for (const pid of deciders) await expect.poll(() => isRunning(pid)).toBe(false)
})

test('a server with several vaults names its transparency log as the setting says', { timeout: 120_000 }, async () => {
  const { url } = await startSeveral(['--log-origin', 'keys.example'])
  const list = async () =>
    (await (await fetch(`${url}/log/`)).json()) as { readonly logs: readonly { origin: string }[] }
  await expect.poll(async () => (await list()).logs[0]?.origin, { timeout: 60_000 }).toMatch(/^keys\.example\/log\//)
})
