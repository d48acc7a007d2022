import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { httpClient, serverClient } from '../support/clients.ts'
import {
  isRunning,
  plainEnvironment,
  processesBelow,
  type RunningServer,
  repositoryFolder,
  startRunningServer,
} from '../support/running_server.ts'
import { madeFolder } from '../support/server_command.ts'

/** A server that does not outlive its test, even one that fails. */
async function start(given: Parameters<typeof startRunningServer>[0] = {}): Promise<RunningServer> {
  const server = await startRunningServer(given)
  onTestFinished(async () => {
    await server.end('SIGKILL')
  })
  return server
}

test('npm start makes an organization, says where the credentials are, and prints three lines that work', async () => {
  const server = await start({ through: 'npm' })
  expect(server.lines.at(-1)).toBe(`claviger: ready on ${server.url}`)
  expect(server.lines.join('\n')).toContain('credentials.json')
  const commands = server.lines.filter((line) => line.startsWith('  ')).map((line) => line.trim())
  expect(commands).toHaveLength(3)
  const answers: string[] = []
  for (const command of commands) answers.push(await shell(command))
  const [who = '', wallet = '', accounts = ''] = answers
  const { organizationId, userId } = server.credentials
  expect(JSON.parse(who)).toMatchObject({ organizationId, userId })
  const { activity } = JSON.parse(wallet)
  expect(JSON.parse(accounts).accounts[0].address).toBe(activity.result.createWalletResult.addresses[0])
  await server.stop()
}, 120_000)

test('SIGTERM to npm ends the server and its vault with exit code 0 and leaves no process', async () => {
  const server = await start({ through: 'npm' })
  const below = processesBelow(server.pid)
  expect(below.some(({ command }) => command.includes('src/cli/main.ts'))).toBe(true)
  const vault = below.find(({ command }) => command.includes('src/vault/main.ts'))
  const cache = join(repositoryFolder, 'node_modules', '.cache', 'compiled')
  expect(readFileSync(`/proc/${vault?.pid}/environ`, 'utf8')).toBe(`NODE_COMPILE_CACHE=${cache}\0`)
  expect(await server.end('SIGTERM')).toEqual({ exitCode: 0, signal: null })
  expect(below.filter(({ pid }) => isRunning(pid))).toEqual([])
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s lets the server end with exit code 0, its vault with it',
  async (signal) => {
    const server = await start()
    const below = processesBelow(server.pid)
    expect(below).toHaveLength(1)
    expect(await server.end(signal)).toEqual({ exitCode: 0, signal: null })
    expect(below.filter(({ pid }) => isRunning(pid))).toEqual([])
  },
)

test('a second start keeps the organization, its wallets and the credentials', async () => {
  const first = await start()
  const { walletId } = await serverClient(first).createWallet({ walletName: 'kept', accounts: [] })
  await first.stop()
  const second = await start({ folder: first.folder })
  expect(second.lines.join('\n')).toContain('run `bin/claviger console-link --data')
  const { apiBaseUrl: _, ...kept } = first.credentials
  expect(second.credentials).toMatchObject(kept)
  expect((await serverClient(second).getWallets()).wallets).toEqual([expect.objectContaining({ walletId })])
})

test('a second start on another port leads the credentials to that port', async () => {
  const folder = await madeFolder()
  const credentials = JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'))
  const port = await freePort()
  const second = await start({ folder, flags: ['--port', String(port)] })
  expect(second.url).toBe(`http://127.0.0.1:${port}`)
  expect(second.credentials).toEqual({ ...credentials, apiBaseUrl: second.url })
  expect(statSync(join(second.folder, 'credentials.json')).mode & 0o777).toBe(0o600)
})

describe('one server, with a port of its own and --json', () => {
  let server: RunningServer
  let port: number
  beforeAll(async () => {
    port = await freePort()
    server = await startRunningServer({ flags: ['--port', String(port), '--json'] })
  })
  afterAll(() => server.stop())

  test('the credentials file is for its owner alone and holds exactly the five keys', async () => {
    expect(statSync(join(server.folder, 'credentials.json')).mode & 0o777).toBe(0o600)
    expect(server.credentials).toEqual({
      apiBaseUrl: server.url,
      organizationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      userId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      apiPublicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
      apiPrivateKey: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(await serverClient(server).getWhoami()).toMatchObject({ username: 'Root user' })
  })

  test('with --json every line is one JSON object, the last one says ready', async () => {
    const events: unknown[] = server.lines.map((line) => JSON.parse(line))
    expect(events.at(-1)).toEqual({ event: 'ready', url: server.url, database: expect.any(String) })
  })

  test('the port and the data folder can be given, and a port that is taken is told, not hidden', async () => {
    expect(server.url).toBe(`http://127.0.0.1:${port}`)
    await expect(startRunningServer({ flags: ['--port', String(port)] })).rejects.toThrow(/EADDRINUSE|already in use/)
  })

  test('requests in flight when the vault is killed are answered 503, and the service recovers by itself', async () => {
    const { walletId } = await serverClient(server).createWallet({ walletName: 'before', accounts: [] })
    const { url, body, stamp } = await httpClient(server).stampCreateWallet({
      type: 'ACTIVITY_TYPE_CREATE_WALLET',
      timestampMs: String(Date.now()),
      organizationId: server.credentials.organizationId,
      parameters: { walletName: 'meanwhile', accounts: [] },
    })
    const send = () =>
      fetch(url, { method: 'POST', headers: { [stamp.stampHeaderName]: stamp.stampHeaderValue }, body })
    const [vault] = processesBelow(server.pid)
    if (vault === undefined) throw new Error('the vault is a process of its own')

    process.kill(vault.pid, 'SIGSTOP') // so that the request is certainly unanswered when the vault dies
    const pending = send()
    expect((await fetch(`${server.url}/livez`)).status).toBe(200)
    process.kill(vault.pid, 'SIGKILL')
    const refused = await pending
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ code: 14, message: expect.stringContaining('try again') })

    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status, { timeout: 20_000 }).toBe(200)
    // The same bytes again: the client cannot know whether they were carried out, and does not have to.
    expect((await send()).status).toBe(200)
    const { wallets } = await serverClient(server).getWallets()
    expect(wallets.map(({ walletName }) => walletName).toSorted()).toEqual(['before', 'meanwhile'])
    expect(wallets.map((wallet) => wallet.walletId)).toContain(walletId)
  })
})

test('a server killed under load has everything that it acknowledged after the next start', async () => {
  const first = await start()
  const client = serverClient(first)
  const below = processesBelow(first.pid)
  const acknowledged: { readonly walletId: string; readonly activityId: string }[] = []
  const enough = Promise.withResolvers<void>()
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let index = 0; ; index += 1) {
      const walletName = `wallet ${writer}-${index}`
      const made = await client.createWallet({ walletName, accounts: [] }).catch(() => undefined)
      if (made === undefined) return // killed
      acknowledged.push({ walletId: made.walletId, activityId: made.activity.id })
      if (acknowledged.length === 40) enough.resolve()
    }
  })
  await enough.promise
  await first.end('SIGKILL')
  await Promise.all(writers)
  // The vault sees its channel close and goes by itself.
  await expect.poll(() => below.filter(({ pid }) => isRunning(pid)), { timeout: 20_000 }).toEqual([])

  const second = await start({ folder: first.folder })
  const again = serverClient(second)
  const walletIds = new Set((await again.getWallets()).wallets.map(({ walletId }) => walletId))
  expect(acknowledged.filter(({ walletId }) => !walletIds.has(walletId))).toEqual([])
  for (const { activityId } of acknowledged) {
    expect((await again.getActivity({ activityId })).activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  }
  expect((await again.createWallet({ walletName: 'afterwards', accounts: [] })).walletId).toMatch(/-/)
  await second.stop()
})

/** Runs a line as a person would who copies it. Throws with its output unless it exits with code 0. */
async function shell(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    cwd: repositoryFolder,
    env: plainEnvironment(),
  })
  return stdout
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  listener.close()
  await once(listener, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('a listening server has a port')
  return address.port
}
