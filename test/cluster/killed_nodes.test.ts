import { randomInt } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ApiKeyStamper } from '@turnkey/api-key-stamper'
import { expect, test } from 'vitest'
import { activityRequest, signingOf } from '../support/client.ts'
import { temporaryDatabase } from '../support/postgres/postgres.ts'
import { type Credentials, processesBelow, type RunningServer, startRunningServer } from '../support/running_server.ts'

/**
 * Real servers whose processes are killed at random moments under load, the vault alone or all of a node. Clients send
 * the same bytes again until they are answered.
 */
const rounds = Number(process.env.CLAVIGER_CASES ?? 3)
const workers = 6
const roundMsMax = 900
const roundMsForOne = 15_000

type Sent = { readonly path: string; readonly body: string; readonly name: string }
type Acknowledged = Sent & { readonly id: string; readonly answer: string }

for (const { database, nodeCount, vaults } of [
  { database: 'SQLite', nodeCount: 1, vaults: 1 },
  { database: 'SQLite', nodeCount: 1, vaults: 3 },
  { database: 'PostgreSQL', nodeCount: 2, vaults: 1 },
] as const) {
  test(`${database}, vaults in a node: ${vaults}: nothing acknowledged is lost, nothing is done twice`, {
    timeout: 60_000 + rounds * roundMsForOne,
  }, async () => {
    const ofDatabase = database === 'SQLite' ? [] : ['--database-url', await temporaryDatabase()]
    const flags = [...ofDatabase, '--limit-tags', '100000', '--vaults', String(vaults)]
    const nodes: RunningServer[] = [await startRunningServer({ flags })]
    while (nodes.length < nodeCount) nodes.push(await startNext(nodes[0] as RunningServer, flags))
    const { credentials } = nodes[0] as RunningServer
    const organization = await furnish(nodes[0] as RunningServer, credentials)
    const acknowledged: Acknowledged[] = []

    for (let round = 0; round < rounds; round += 1) {
      const ending = new AbortController()
      const working = Promise.all(
        Array.from({ length: workers }, (_, worker) =>
          work({ nodes, credentials, ...organization }, `${round} ${worker}`, { acknowledged, signal: ending.signal }),
        ),
      )
      working.catch(() => {}) // awaited below
      await setTimeout(randomInt(roundMsMax))
      const at = randomInt(nodes.length)
      const killed = nodes[at] as RunningServer
      if (randomInt(2) === 0) await killAll(killed)
      else killVault(killed, vaults)
      await setTimeout(randomInt(100))
      const isOver = processesBelow(process.pid).every(({ pid }) => pid !== killed.pid)
      if (isOver) nodes[at] = await startRunningServer({ folder: killed.folder, flags })
      // Every request that was begun is answered at last.
      await setTimeout(100)
      ending.abort()
      await working
    }

    await expectKept(nodes, credentials, acknowledged)
    for (const node of nodes) await node.end('SIGTERM')
  })
}

async function startNext(first: RunningServer, flags: readonly string[]): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-'))
  mkdirSync(join(folder, 'vault'), { mode: 0o700 })
  copyFileSync(join(first.folder, 'vault', 'root.key'), join(folder, 'vault', 'root.key'))
  return startRunningServer({ folder, flags })
}

async function killAll(node: RunningServer): Promise<void> {
  const below = processesBelow(node.pid)
  const ended = node.end('SIGKILL')
  for (const { pid } of below) kill(pid)
  await ended
}

/** Kills the only vault with its wrapper, or one process of several. */
function killVault({ pid }: RunningServer, vaults: number): void {
  const below = processesBelow(pid)
  for (const process of vaults === 1 ? below : [below[randomInt(below.length)]]) if (process) kill(process.pid)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

type Ask = { readonly path: string; readonly body: string }

async function post(node: RunningServer, { apiPublicKey, apiPrivateKey }: Credentials, { path, body }: Ask) {
  const stamp = await new ApiKeyStamper({ apiPublicKey, apiPrivateKey }).stamp(body)
  const headers = { [stamp.stampHeaderName]: stamp.stampHeaderValue }
  const answer = await fetch(new URL(path, node.url), { method: 'POST', headers, body })
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

async function furnish(node: RunningServer, credentials: Credentials): Promise<{ readonly privateKeyId: string }> {
  const { organizationId } = credentials
  const privateKeys = [{ privateKeyName: 'k', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }]
  const timestampMs = Date.now()
  const request = activityRequest('create_private_keys', { organizationId, parameters: { privateKeys }, timestampMs })
  const { activity } = (await post(node, credentials, request)).body
  return { privateKeyId: activity.result.createPrivateKeysResultV2.privateKeys[0].privateKeyId }
}

type World = {
  readonly nodes: readonly RunningServer[]
  readonly credentials: Credentials
  readonly privateKeyId: string
}

/** Signs and makes tags, one request after the other, each until it is answered. */
async function work(
  world: World,
  worker: string,
  { acknowledged, signal }: { readonly acknowledged: Acknowledged[]; readonly signal: AbortSignal },
): Promise<void> {
  const { organizationId } = world.credentials
  for (let turn = 0; !signal.aborted; turn += 1) {
    const name = `${worker} ${turn}`
    const given = { organizationId, timestampMs: Date.now() }
    const sent = {
      name,
      ...(turn % 4 === 0
        ? activityRequest('create_user_tag', { ...given, parameters: { userTagName: name, userIds: [] } })
        : activityRequest('sign_raw_payload', { ...given, parameters: signingOf(world.privateKeyId, name) })),
    }
    acknowledged.push({ ...sent, ...(await sendUntilAnswered(world, sent)) })
  }
}

async function sendUntilAnswered({ nodes, credentials }: World, sent: Sent): Promise<{ id: string; answer: string }> {
  for (let attempt = 1; ; attempt += 1) {
    const node = nodes[randomInt(nodes.length)] as RunningServer
    const answer = await post(node, credentials, sent).catch(() => undefined)
    if (answer?.status === 200) {
      const { activity } = answer.body
      expect(activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
      return { id: activity.id, answer: JSON.stringify(activity.result) }
    }
    // Nobody answered, or the server said that the same request may be sent again.
    expect([undefined, 503]).toContain(answer?.status)
    if (attempt === 500) throw new Error(`${sent.name} is never answered: ${JSON.stringify(answer)}`)
    await setTimeout(randomInt(50))
  }
}

/** Every acknowledged request is the activity that it was, on each node, and has done its work once. */
async function expectKept(
  nodes: readonly RunningServer[],
  credentials: Credentials,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  expect(acknowledged.length).toBeGreaterThan(rounds * workers)
  expect(new Set(acknowledged.map(({ id }) => id)).size).toBe(acknowledged.length)
  const { organizationId } = credentials
  for (const node of nodes) {
    for (const { id, answer } of acknowledged) {
      const body = JSON.stringify({ organizationId, activityId: id })
      const shown = await post(node, credentials, { path: '/public/v1/query/get_activity', body })
      expect(JSON.stringify(shown.body.activity?.result)).toBe(answer)
    }
    const listed = await post(node, credentials, {
      path: '/public/v1/query/list_user_tags',
      body: JSON.stringify({ organizationId }),
    })
    const made = acknowledged.filter(({ path }) => path.endsWith('create_user_tag')).map(({ name }) => name)
    expect(listed.body.userTags.map(({ tagName }: { tagName: string }) => tagName).sort()).toEqual(made.sort())
    const readiness = await fetch(new URL('/readyz', node.url))
    expect(await readiness.json()).toEqual({ status: 'ready', reasons: [] })
  }
}
