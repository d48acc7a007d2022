import { randomInt } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ApiKeyStamper } from '@turnkey/api-key-stamper'
import { expect, onTestFinished, test } from 'vitest'
import { readDatabaseUrl } from '../../src/service/store/postgres/database_address.ts'
import { openPostgresStore } from '../../src/service/store/postgres/postgres_store.ts'
import { openSqliteStore } from '../../src/service/store/sqlite/sqlite_store.ts'
import { activityRequest, signingOf } from '../support/client.ts'
import { cutPower, expectLogged, type Served, watchLogs } from '../support/kill_points/logs.ts'
import { kill, killOption, order, type Point, points } from '../support/kill_points/points.ts'
import { programWithKillPoints } from '../support/kill_points/program.ts'
import { temporaryDatabase } from '../support/postgres/postgres.ts'
import { type Credentials, processesBelow, type RunningServer, startRunningServer } from '../support/running_server.ts'
import { sqliteFile } from '../support/server_database.ts'

/**
 * Real servers whose processes are killed under load: one vault, the service, or all of a node. Clients send the same
 * bytes again until they are answered.
 *
 * All rounds of ten but one kill at a named point of a request or its log (`points`), that one at a random moment. The processes are
 * killed by themselves at the point: `programWithKillPoints` wraps the functions at these points. The test says in a
 * file what to kill where. The program that users have knows no such orders.
 */
const cases = process.env.CLAVIGER_CASES
/** Without it the three tests share twelve rounds, in which all points come. */
const shortRounds = 4

const program = programWithKillPoints()

type Sent = { readonly path: string; readonly body: string; readonly name: string }
type Acknowledged = Sent & { readonly id: string; readonly answer: string; readonly round: number }

const victims = ['vault', 'service', 'node'] as const
type Victim = (typeof victims)[number]
type Round = { readonly point: Point | undefined; readonly victim: Victim }

const workers = 6
const untilKillMsMax = 400
const roundMsMax = 180_000
/** A busy machine may let a vault start for a minute. */
const reachedMsMax = 120_000
/** A vault that starts on a busy machine. */
const attemptsMax = 500
const retryMsMax = 200

for (const [at, { database, nodeCount, vaults, share }] of (
  [
    // Of the rounds that `CLAVIGER_CASES` asks for: all on SQLite, and a fifth of them again on PostgreSQL.
    { database: 'SQLite', nodeCount: 1, vaults: 1, share: 0.75 },
    { database: 'SQLite', nodeCount: 1, vaults: 3, share: 0.25 },
    { database: 'PostgreSQL', nodeCount: 2, vaults: 1, share: 0.2 },
  ] as const
).entries()) {
  const rounds = cases === undefined ? shortRounds : Math.ceil(share * Number(cases))
  const firstRound = cases === undefined ? at * shortRounds : 0
  test(`${database}, vaults in a node: ${vaults}: nothing acknowledged is lost, nothing is done twice`, {
    timeout: rounds * roundMsMax,
  }, async () => {
    const url = database === 'SQLite' ? undefined : await temporaryDatabase()
    const ofDatabase = url === undefined ? [] : ['--database-url', url]
    const flags = [...ofDatabase, '--limit-tags', '100000', '--vaults', String(vaults)]
    const nodes: Node[] = [await startNode({ flags })]
    while (nodes.length < nodeCount) nodes.push(await startNode({ flags, folder: folderBeside(nodes[0] as Node) }))
    const { credentials } = nodes[0] as Node
    const world: World = { nodes, credentials, ...(await furnish(nodes[0] as Node, credentials)) }
    const acknowledged: Acknowledged[] = []
    const killed = new Map<string, number>()
    const served: Served = new Map()
    const powerCuts = new Set<number>()

    for (let round = 0; round < rounds; round += 1) {
      const kind = roundOf(firstRound + round, at)
      const ending = new AbortController()
      const { signal } = ending
      const working = Promise.all([
        ...Array.from({ length: workers }, (_, worker) => work(world, { round, worker }, { acknowledged, signal })),
        watchLogs(() => nodes.map((node) => node.url), { served, signal }),
      ])
      working.catch(() => {}) // awaited below
      await setTimeout(randomInt(untilKillMsMax))
      const index = randomInt(nodes.length)
      const node = nodes[index] as Node
      await killIn(node, kind, vaults)
      if (kind.victim === 'node' && randomInt(2) === 0) {
        cutPower(node.folder)
        powerCuts.add(round)
      }
      if (kind.victim !== 'vault') nodes[index] = await startNode({ flags, folder: node.folder })
      // Every request that was begun is answered at last.
      await setTimeout(100)
      ending.abort()
      await working
      const name = `${kind.point ?? 'at random'}: ${kind.victim}`
      killed.set(name, (killed.get(name) ?? 0) + 1)
    }

    await expectKept(world, acknowledged, rounds)
    for (const node of nodes) await node.end('SIGTERM')
    const store =
      url === undefined
        ? await openSqliteStore({ path: join((nodes[0] as Node).folder, sqliteFile) })
        : await openPostgresStore(readDatabaseUrl(url))
    onTestFinished(() => store.close())
    const told = acknowledged.map(({ path, round, ...sent }) => ({
      ...sent,
      makesHead: !path.endsWith('sign_raw_payload'),
      mayBeLost: powerCuts.has(round) || powerCuts.has(round + 1),
    }))
    const { organizationId } = credentials
    const logged = await expectLogged(
      { folders: nodes.map(({ folder }) => folder), store, organizationId },
      { told, served },
    )
    if (cases !== undefined) {
      const checkpoints = [...served.values()].reduce((sum, { size }) => sum + size, 0)
      const figures = { rounds, acknowledged: acknowledged.length, powerCuts: powerCuts.size, checkpoints, ...logged }
      report({ database, vaults, ...figures, killed })
    }
  })
}

/** All points come in each ten rounds, and all victims at each point in thirty. The first ten differ by `offset`. */
function roundOf(round: number, offset: number): Round {
  const place = round % (Object.keys(points).length + 1)
  const cycle = Math.floor(round / (Object.keys(points).length + 1))
  const point = (Object.keys(points) as Point[])[place]
  return { point, victim: victims[(place + cycle + offset) % victims.length] as Victim }
}

type Node = RunningServer & { readonly orders: string }

async function startNode({
  flags,
  folder = mkdtempSync(join(tmpdir(), 'claviger-')),
}: {
  readonly flags: readonly string[]
  readonly folder?: string
}): Promise<Node> {
  const orders = join(folder, 'kill')
  const running = await startRunningServer({ folder, flags, nodeParts: [killOption(orders), await program] })
  onTestFinished(() => kill(running.pid)) // Its vault ends with it.
  return { ...running, orders }
}

/** A folder with the same key. */
function folderBeside(first: Node): string {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-'))
  mkdirSync(join(folder, 'vault'), { mode: 0o700 })
  copyFileSync(join(first.folder, 'vault', 'root.key'), join(folder, 'vault', 'root.key'))
  return folder
}

/** Resolves when the order is carried out, and the service is gone if it is a victim. */
async function killIn(node: Node, { point, victim }: Round, vaults: number): Promise<void> {
  const pids = victimsIn(node, victim, vaults)
  if (point === undefined) {
    for (const pid of pids) kill(pid)
  } else {
    // Which one of several vaults comes to the point is not known before.
    order(node.orders, { point, pids: victim === 'vault' && points[point] === 'vault' ? [] : pids })
    const deadline = performance.now() + reachedMsMax
    while (existsSync(node.orders)) {
      if (performance.now() > deadline) {
        throw new Error(`no process came to the point ${point}: ${node.complaints.slice(-20).join('\n')}`)
      }
      await setTimeout(5)
    }
  }
  if (victim !== 'vault') await node.end('SIGKILL') // It only waits: it is killed already.
}

/** The only vault, or one process of several: a vault or the books. */
function victimsIn({ pid }: Node, victim: Victim, vaults: number): readonly number[] {
  const below = processesBelow(pid).map((running) => running.pid)
  if (victim === 'service') return [pid]
  if (victim === 'node') return [...below, pid]
  return vaults === 1 ? below : [below[randomInt(below.length)] as number]
}

type Ask = { readonly path: string; readonly body: string }
type Stamped = Ask & { readonly headers: Readonly<Record<string, string>> }

async function stamped({ apiPublicKey, apiPrivateKey }: Credentials, ask: Ask): Promise<Stamped> {
  const stamp = await new ApiKeyStamper({ apiPublicKey, apiPrivateKey }).stamp(ask.body)
  return { ...ask, headers: { [stamp.stampHeaderName]: stamp.stampHeaderValue } }
}

async function post(node: Node, { path, body, headers }: Stamped) {
  const answer = await fetch(new URL(path, node.url), { method: 'POST', headers, body })
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

async function furnish(node: Node, credentials: Credentials): Promise<{ readonly privateKeyId: string }> {
  const { organizationId } = credentials
  const privateKeys = [{ privateKeyName: 'k', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }]
  const timestampMs = Date.now()
  const request = activityRequest('create_private_keys', { organizationId, parameters: { privateKeys }, timestampMs })
  const { activity } = (await post(node, await stamped(credentials, request))).body
  return { privateKeyId: activity.result.createPrivateKeysResultV2.privateKeys[0].privateKeyId }
}

type World = {
  readonly nodes: readonly Node[]
  readonly credentials: Credentials
  readonly privateKeyId: string
}

/** Signs and makes changes, one request after the other, each until it is answered. The first of them makes a tag. */
async function work(
  world: World,
  { round, worker }: { readonly round: number; readonly worker: number },
  { acknowledged, signal }: { readonly acknowledged: Acknowledged[]; readonly signal: AbortSignal },
): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    const name = `${round} ${worker} ${turn}`
    const [operation, parameters] =
      turn === 0
        ? ['create_user_tag', { userTagName: name, userIds: [] }]
        : turn % 3 === 0
          ? ['update_organization_name', { organizationName: name }]
          : ['sign_raw_payload', signingOf(world.privateKeyId, name)]
    const { organizationId } = world.credentials
    const sent = { name, ...activityRequest(operation, { organizationId, timestampMs: Date.now(), parameters }) }
    const { activity } = await sendUntilAnswered(world, sent)
    expect(activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    acknowledged.push({ ...sent, round, id: activity.id, answer: JSON.stringify(activity.result) })
  }
}

/** Sends to any of the nodes. */
async function sendUntilAnswered({ nodes, credentials }: Pick<World, 'nodes' | 'credentials'>, ask: Ask) {
  const request = await stamped(credentials, ask)
  for (let attempt = 1; ; attempt += 1) {
    const node = nodes[randomInt(nodes.length)] as Node
    const answer = await post(node, request).catch(() => undefined)
    if (answer?.status === 200) return answer.body
    // Nobody answered, or the server said that the same request may be sent again.
    expect([undefined, 503]).toContain(answer?.status)
    if (attempt === attemptsMax) throw new Error(`${ask.path} is never answered: ${JSON.stringify(answer)}`)
    await setTimeout(randomInt(retryMsMax))
  }
}

/**
 * Each node shows every acknowledged request as the completed activity that it was, and no other activity. Every tag is
 * there once.
 */
async function expectKept(
  { nodes, credentials }: World,
  acknowledged: readonly Acknowledged[],
  rounds: number,
): Promise<void> {
  expect(acknowledged.length).toBeGreaterThan(rounds * workers)
  const { organizationId } = credentials
  const tags = acknowledged.filter(({ path }) => path.endsWith('create_user_tag')).map(({ name }) => name)
  for (const node of nodes) {
    const ask = (name: string, parameters = {}) =>
      sendUntilAnswered(
        { nodes: [node], credentials },
        { path: `/public/v1/query/${name}`, body: JSON.stringify({ organizationId, ...parameters }) },
      )
    const shown: Json[] = []
    for (let page: Json[] | undefined; page === undefined || page.length > 0; shown.push(...page)) {
      const after = shown.at(-1)?.id
      const paginationOptions = { limit: '100', ...(after === undefined ? {} : { after }) }
      page = (await ask('list_activities', { paginationOptions })).activities as Json[]
    }
    expect(new Set(shown.map(({ status }) => status))).toEqual(new Set(['ACTIVITY_STATUS_COMPLETED']))
    const made = shown.filter(({ type }) => !type.startsWith('ACTIVITY_TYPE_CREATE_PRIVATE_KEYS'))
    expect(made.map(({ id, result }) => `${id} ${JSON.stringify(result)}`).sort()).toEqual(
      acknowledged.map(({ id, answer }) => `${id} ${answer}`).sort(),
    )
    const { userTags } = await ask('list_user_tags')
    expect(userTags.map(({ tagName }: Json) => tagName).sort()).toEqual(tags.toSorted())
    const readiness = await fetch(new URL('/readyz', node.url))
    expect(await readiness.json()).toEqual({ status: 'ready', reasons: [] })
  }
}

type Json = ReturnType<typeof JSON.parse>

function report({
  killed,
  ...figures
}: { readonly killed: ReadonlyMap<string, number>; readonly database: string } & {
  readonly [name: string]: unknown
}): void {
  process.stdout.write(`${JSON.stringify({ ...figures, killed: Object.fromEntries(killed) })}\n`)
}
