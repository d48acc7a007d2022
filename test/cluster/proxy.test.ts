import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ApiKeyStamper } from '@turnkey/api-key-stamper'
import { expect, onTestFinished, test } from 'vitest'
import { watchesMax } from '../../src/service/requests/watches.ts'
import { needsDebian } from '../support/debian.ts'
import { temporaryDatabase } from '../support/postgres/postgres.ts'
import { repositoryFolder, startRunningServer } from '../support/running_server.ts'

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

const given = readFileSync(join(repositoryFolder, 'deploy/haproxy/haproxy.cfg'), 'utf8')

async function startHaproxy(program: string, nodes: readonly { readonly url: string }[]): Promise<string> {
  const port = await freePort()
  const [one, two] = nodes.map(({ url }) => new URL(url).host)
  const configured = given
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

test('the proxy has a connection for each watch of its nodes, and as many for requests', (context) => {
  const program = needsDebian('haproxy', context)
  const [, connectionsMax] = /^ {2}maxconn (\d+)$/m.exec(given) ?? []
  const nodes = given.match(/^ {2}server /gm) ?? []
  expect([nodes.length, Number(connectionsMax)]).toEqual([2, 2 * nodes.length * watchesMax])
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

  await (first.node === 'one' ? one : two).end('SIGKILL')
  // Before the proxy has noticed: its checks take two seconds.
  expect(await nodeOf(one.credentials)).toEqual({ status: 200, node: first.node === 'one' ? 'two' : 'one' })
})
