import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ApiKeyStamper } from '@turnkey/api-key-stamper'
import { expect, onTestFinished, test } from 'vitest'
import { ofForwardedMaxDefault } from '../../src/service/http/connections/forwarded_bound.ts'
import { watchesMax } from '../../src/service/turns/watch_places.ts'
import { needsDebian } from '../support/debian.ts'
import { temporaryDatabase } from '../support/postgres/postgres.ts'
import { repositoryFolder, startRunningServer } from '../support/running_server.ts'
import { soon } from '../support/soon.ts'

/** The proxy of docs/operate/scale.md in front of two nodes. */

async function startNode(folder: string, databaseUrl: string) {
  const node = await startRunningServer({ folder, flags: ['--database-url', databaseUrl, '--log-level', 'debug'] })
  onTestFinished(async () => void (await node.end('SIGTERM')))
  return node
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('a port is expected')
  return address.port
}

/** A node that answers everything, for what the proxy does by itself. */
async function startAnswering() {
  const server = createHttpServer((_request, response) => void response.end()).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close().closeAllConnections())
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a port is expected')
  return { url: `http://127.0.0.1:${address.port}` }
}

const given = readFileSync(join(repositoryFolder, 'deploy/haproxy/haproxy.cfg'), 'utf8')

type Node = { readonly url: string }

async function startHaproxy(program: string, nodes: readonly Node[], config = given): Promise<string> {
  const port = await freePort()
  const [one, two] = nodes.map(({ url }) => new URL(url).host)
  const configured = config
    .replace('bind :8787', `bind 127.0.0.1:${port}`)
    .replace('127.0.0.1:8791', one ?? '')
    .replace('127.0.0.1:8792', two ?? '')
    .replace('default_backend nodes', 'default_backend nodes\n  http-response set-header x-node %s')
  const file = join(mkdtempSync(join(tmpdir(), 'claviger-haproxy-')), 'haproxy.cfg')
  writeFileSync(file, configured)
  const child = spawn(program, ['-q', '-f', file], { stdio: 'inherit' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return `http://127.0.0.1:${port}`
}

const connectionsMax = Number(/^ {2}maxconn (\d+)$/m.exec(given)?.[1])
const ofOneMax = Number(/ sc0_conn_cur gt (\d+) /.exec(given)?.[1])

test('the proxy has a connection for each watch of its nodes, and as many for requests', (context) => {
  const program = needsDebian('haproxy', context)
  const nodes = given.match(/^ {2}server /gm) ?? []
  expect([nodes.length, connectionsMax]).toEqual([2, 2 * nodes.length * watchesMax])
  expect(ofOneMax).toBe(nodes.length * ofForwardedMaxDefault)
  const file = join(mkdtempSync(join(tmpdir(), 'claviger-haproxy-')), 'haproxy.cfg')
  writeFileSync(file, given)
  // `-dW`: a warning is an error.
  execFileSync(program, ['-c', '-dW', '-f', file])
})

test('an organization stays on one node while that answers, and goes to the other when it does not', async (context) => {
  const program = needsDebian('haproxy', context)
  const databaseUrl = await temporaryDatabase()
  const one = await startNode(mkdtempSync(join(tmpdir(), 'claviger-')), databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'claviger-'))
  mkdirSync(join(folder, 'vault'), { mode: 0o700 })
  copyFileSync(join(one.folder, 'vault', 'root.key'), join(folder, 'vault', 'root.key'))
  const two = await startNode(folder, databaseUrl)
  const url = await startHaproxy(program, [one, two])

  /** The node that answers a query of this organization. */
  async function nodeOf({ organizationId, apiPublicKey, apiPrivateKey }: typeof one.credentials) {
    const body = JSON.stringify({ organizationId })
    const stamp = await new ApiKeyStamper({ apiPublicKey, apiPrivateKey }).stamp(body)
    const headers = { [stamp.stampHeaderName]: stamp.stampHeaderValue }
    const asked = fetch(`${url}/public/v1/query/whoami`, { method: 'POST', headers, body })
    const answer = await asked.catch(() => undefined)
    return { status: answer?.status, node: answer?.headers.get('x-node') }
  }

  async function untilAnswered(credentials: typeof one.credentials) {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await nodeOf(credentials)
      if (answer.status === 200 || attempt === 100) return answer
      await setTimeout(100)
    }
  }

  const first = await untilAnswered(one.credentials)
  expect(first.status).toBe(200)
  for (let time = 0; time < 6; time += 1) expect(await nodeOf(one.credentials)).toEqual(first)
  // Another organization goes its own way, and unknown ones show that both nodes are used.
  expect((await untilAnswered(two.credentials)).status).toBe(200)
  const others = Array.from({ length: 30 }, (_, index) => ({ ...one.credentials, organizationId: `none ${index}` }))
  expect(new Set((await Promise.all(others.map(nodeOf))).map(({ node }) => node))).toEqual(new Set(['one', 'two']))

  // The node takes a request and dies without an answer. The proxy has not noticed: its checks take two seconds.
  const dying = first.node === 'one' ? one : two
  process.kill(dying.pid, 'SIGSTOP')
  const asked = nodeOf(one.credentials)
  await setTimeout(100)
  await dying.end('SIGKILL')
  const other = { status: 200, node: first.node === 'one' ? 'two' : 'one' }
  expect(await asked).toEqual(other)
  expect(await nodeOf(one.credentials)).toEqual(other)
})

/** Opens connections, and returns those that are open. `greeting`: what each sends, of which the proxy takes the address. */
async function openMany(count: number, options: NetConnectOpts, greeting: (index: number) => string = () => '') {
  const open = new Set<Socket>()
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
  })
  for (let index = 0; index < count; index += 1) {
    const socket = connect(options).on('error', () => {})
    open.add(socket)
    socket.once('close', () => open.delete(socket)).resume()
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
    socket.write(greeting(index))
  }
  return open
}

/** The first bytes of the answer at a connection, empty if there is none. */
async function answerAt(options: NetConnectOpts, greeting = ''): Promise<string> {
  const socket = connect(options).on('error', () => {})
  socket.write(`${greeting}GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
  const answer = await Promise.race([
    new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes)))),
    new Promise<string>((resolve) => socket.once('close', () => resolve(''))),
    setTimeout(10_000, 'nothing'),
  ])
  socket.destroy()
  return answer.split('\r\n')[0] ?? ''
}

test.runIf(process.platform === 'linux')(
  'one address that opens all the connections it can keeps out no other address',
  { timeout: 120_000 },
  async (context) => {
    const url = await startHaproxy(needsDebian('haproxy', context), [await startAnswering(), await startAnswering()])
    const to = { host: '127.0.0.1', port: Number(new URL(url).port) }
    await soon(async () => expect(await answerAt(to)).toContain('200'))
    const open = await openMany(connectionsMax + 100, { ...to, localAddress: '127.0.0.9' })
    expect(await answerAt(to)).toContain('200')
    expect(await answerAt({ ...to, localAddress: '127.0.0.9' })).toBe('')
    await soon(() => expect(open.size).toBe(ofOneMax))
    for (const socket of open) socket.destroy()
    await soon(async () => expect(await answerAt({ ...to, localAddress: '127.0.0.9' })).toContain('200'))
  },
)

test('a /64 of IPv6 is one address', { timeout: 120_000 }, async (context) => {
  // A machine has one address of IPv6 for itself. So another proxy names them, which is known one step later.
  const named = given
    .replace(/(bind :8787)/, '$1 accept-proxy')
    .replaceAll('tcp-request connection', 'tcp-request session')
  const url = await startHaproxy(
    needsDebian('haproxy', context),
    [await startAnswering(), await startAnswering()],
    named,
  )
  const to = { host: '127.0.0.1', port: Number(new URL(url).port) }
  const from = (address: string) => `PROXY TCP6 ${address} 2001:db8::1 1024 8787\r\n`
  await soon(async () => expect(await answerAt(to, from('2001:db8:9::1'))).toContain('200'))
  const open = await openMany(ofOneMax + 100, to, (index) => from(`2001:db8:9::${(index + 1).toString(16)}`))
  expect(await answerAt(to, from('2001:db8:9::ffff'))).toBe('')
  expect(await answerAt(to, from('2001:db8:9:1::1'))).toContain('200')
  expect(open.size).toBe(ofOneMax)
})
