import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Vault } from '../../../src/link/verbs.ts'
import { SecretBytes } from '../../../src/protocol/crypto/secret_bytes.ts'
import { fingerprintOf, requestKeyOf } from '../../../src/protocol/wire/fingerprint.ts'
import { jsonBytes } from '../../../src/protocol/wire/json.ts'
import type { Request } from '../../../src/service/requests/request.ts'
import { createSubmit } from '../../../src/service/requests/submit.ts'
import { VaultUnavailable } from '../../../src/service/vault/client.ts'
import { noId } from '../../../src/vault/books/booked_head.ts'
import { openBooks } from '../../../src/vault/books/open_books.ts'
import { createSeals } from '../../../src/vault/keys/seal.ts'
import { bookedHeadOf, type Head, sealHead } from '../../../src/vault/state/head.ts'
import { createHistoryDatabase, type HistoryDatabase } from './history_database.ts'
import { type Asked, createHistoryVault, limit, organizationId, paths, type Said } from './history_vault.ts'
import { losePower, type MemoryDisk, openMemoryJournal } from './memory_journal.ts'
import { noCopies } from './no_copies.ts'
import { type Chance, createChance, createSchedule, type Life, type Schedule } from './schedule.ts'
import { createWitness, type Witness } from './witness.ts'

export type HistoryOptions = {
  readonly seed: number
  readonly nodes: number
  readonly isHostile: boolean
}

/** How often each event happened, by its name. */
export type Happened = Map<string, number>

const startMs = 1_800_000_000_000
const minuteMs = 60 * 1000
/** A little less than the age that a request may have. */
const requestsFreshMs = 50 * minuteMs
const steps = 150
const requestsAtOnce = 4
const requests = [
  ...['grant 1', 'grant 2', 'revocation'].map((request) => ({ request, amount: 0 })),
  ...[1, 1, 2, 2, 3].map((amount, index) => ({ request: `payment ${index + 1}`, amount })),
]

const seals = createSeals({
  masterSeeds: { current: 1, seeds: new Map([[1, new SecretBytes(new Uint8Array(32).fill(1))]]) },
  randomBytes: createChance(0).bytes,
})
const journalKey = new SecretBytes(new Uint8Array(32))
/** A folder without mark files. */
const emptyFolder = mkdtempSync(join(tmpdir(), 'claviger-histories-'))

const firstHead: Head = {
  organizationId,
  ...{ parentId: undefined, organizationName: 'First', rootQuorum: { threshold: 1, userIds: [] }, version: 1 },
  ...{ createdAtMs: startMs, updatedAtMs: startMs, listed: new Map(), removed: new Map() },
  lineage: { maker: noId, changeKey: noId, below: new Map() },
}
const first = sealHead(seals, firstHead)

/** One machine with a service and its vault. Either both die together, or the vault alone. */
type Node = {
  readonly number: number
  readonly disk: MemoryDisk
  service: { readonly life: Life; readonly submit: ReturnType<typeof createSubmit>; readonly bodies: Set<string> }
  vault: RunningVault
}

type RunningVault = Pick<Vault, 'answer' | 'confirm'> & {
  readonly life: Life
  /** Rejects when the life is over. */
  readonly death: Promise<never>
  readonly die: () => void
}

type World = HistoryOptions & {
  readonly chance: Chance
  readonly schedule: Schedule
  readonly database: HistoryDatabase
  readonly witness: Witness
  readonly happened: Happened
  /** Errors of work that nobody waits for. */
  readonly broken: unknown[]
  readonly newId: () => string
  nowMs: number
  /** The times at which clients made the requests that they repeat. */
  readonly sentAtMs: number[]
  /** The probability of asking for a change rather than for any request. */
  readonly changes: number
  /** Whether failures have ended. */
  isCalm: boolean
}

/**
 * Plays one random history. Clients send requests, repeated and concurrent, to services whose vaults and machines die.
 * The database is honest or hostile. Throws when a promise is broken. Counts the events in `happened`.
 */
export async function playHistory(options: HistoryOptions, happened: Happened): Promise<void> {
  const world = createWorld(options, happened)
  const { chance, schedule, database, broken } = world
  const crashes = chance.pick([0.01, 0.02, 0.05])
  const nodes: Node[] = []
  while (nodes.length < options.nodes) nodes.push(await startNode(world, nodes.length))
  for (let step = 0; step < steps; step += 1) {
    const inFlight = nodes.reduce((sum, { service }) => sum + service.bodies.size, 0)
    if (inFlight < requestsAtOnce && chance.happens(0.3)) ask(world, chance.pick(nodes))
    else if (chance.happens(crashes)) await crash(world, chance.pick(nodes), { withService: chance.happens(0.5) })
    else if (chance.happens(0.05)) database.land()
    else if (chance.happens(0.03)) letTimePass(world)
    else await schedule.step()
    if (broken.length > 0) throw broken[0]
  }
  if (!options.isHostile) await endWell(world, nodes)
}

function createWorld(options: HistoryOptions, happened: Happened): World {
  const { isHostile, nodes, seed } = options
  const chance = createChance(seed)
  const schedule = createSchedule(chance)
  let ids = 0
  return {
    ...options,
    chance,
    schedule,
    happened,
    database: createHistoryDatabase(first, { isHostile, schedule, chance }),
    witness: createWitness(first.tag, { limit, isHostile, nodes }),
    broken: [],
    newId() {
      ids += 1
      return `01234567-89ab-7cde-8f01-${String(ids).padStart(12, '0')}`
    },
    nowMs: startMs,
    sentAtMs: [startMs],
    changes: chance.pick([0, 0, 0.8]),
    isCalm: false,
  }
}

/** Lets hours pass only with an honest database: the books name each change for a time, and then trust the database. */
function letTimePass(world: World): void {
  const { chance, isHostile } = world
  const passedMs = chance.happens(0.8)
    ? chance.below(minuteMs)
    : chance.below(isHostile ? 10 * minuteMs : 180 * minuteMs)
  if (isHostile && world.nowMs + passedMs > startMs + requestsFreshMs) return
  world.nowMs += passedMs
  const sentAtMs = world.sentAtMs.at(-1) ?? startMs
  if (world.nowMs > sentAtMs + requestsFreshMs) world.sentAtMs.push(world.nowMs)
}

/** Sends a client's request, perhaps again, or asks for the outcome of one. */
function ask(world: World, node: Node): void {
  const { chance, sentAtMs, broken, changes } = world
  const latest = sentAtMs.at(-1) ?? startMs
  const asked = {
    ...chance.pick(chance.happens(changes) ? requests.slice(0, 3) : requests),
    sentAtMs: chance.happens(0.8) ? latest : chance.pick(sentAtMs),
  }
  const request = chance.happens(0.2) ? queryOf(asked) : requestOf(asked)
  // Equal requests in flight share one answer, and the promises to the first of them count.
  if (node.service.bodies.has(keyOf(request))) return
  send(world, node, request).catch((error) => {
    broken.push(error)
  })
}

async function send({ witness, happened }: World, { number, service }: Node, request: Request): Promise<number> {
  const promised = witness.promisedBy(number)
  service.bodies.add(keyOf(request))
  const { status, body } = await service.submit(request)
  service.bodies.delete(keyOf(request))
  note(happened, `answered ${status}`)
  if (status !== 200) return status
  const said: Said = JSON.parse(Buffer.from(body).toString('utf8'))
  if (said.request !== undefined) witness.wasAnswered(number, said, promised)
  return status
}

/** Checks that, with an honest database, every request gets an answer once nothing fails any more. */
async function endWell(world: World, nodes: readonly Node[]): Promise<void> {
  const { chance, schedule, database, broken, sentAtMs } = world
  for (const node of nodes) await crash(world, node, { withService: true })
  database.calm()
  world.isCalm = true
  for (const asked of requests) {
    const request = requestOf({ ...asked, sentAtMs: sentAtMs.at(-1) ?? startMs })
    const answers: number[] = []
    send(world, chance.pick(nodes), request).then(
      (status) => answers.push(status),
      (error) => broken.push(error),
    )
    while (answers.length === 0 && broken.length === 0) {
      const isIdle = (await schedule.step()) === undefined
      if (isIdle && answers.length === 0 && broken.length === 0) throw new Error(`${asked.request}: no answer`)
    }
    const [status] = answers
    if (broken.length > 0) throw broken[0]
    if (status !== 200 && status !== 403) throw new Error(`${asked.request}: ${status} when nothing fails any more`)
  }
}

async function startNode(world: World, number: number): Promise<Node> {
  const disk: MemoryDisk = { payloads: [] }
  const vault = await startVault(world, { number, disk }, { isFirst: true })
  const node: Node = { number, disk, vault, service: startService(world, () => node.vault) }
  return node
}

async function crash(world: World, node: Node, { withService }: { readonly withService: boolean }): Promise<void> {
  const { schedule, happened } = world
  note(happened, withService ? 'power lost' : 'vault died')
  if (withService) {
    schedule.end(node.service.life)
    node.service = startService(world, () => node.vault)
  }
  schedule.end(node.vault.life)
  node.vault.die()
  await setImmediate()
  if (withService) losePower(node.disk, world.chance)
  node.vault = await startVault(world, node, { isFirst: false })
}

function startService(world: World, vaultNow: () => RunningVault): Node['service'] {
  const { schedule, database, broken, isHostile, happened } = world
  const life: Life = { isOver: false }

  async function asked<T>(call: (vault: RunningVault) => Promise<T>): Promise<T> {
    await schedule.pass('asked', life)
    const vault = vaultNow()
    try {
      return await Promise.race([call(vault), vault.death])
    } catch (error) {
      if (!(error instanceof VaultUnavailable)) broken.push(error)
      throw error
    }
  }

  function refused(fields: object): void {
    const cause = 'error' in fields ? fields.error : undefined
    note(happened, 'incident')
    // A thrown error is always a bug. Only a hostile database explains an incident.
    const isIncident = hasName(cause, 'IntegrityError') && !(cause instanceof Error)
    if (!isHostile || !isIncident) broken.push(new Error('an incident', { cause }))
  }

  const submit = createSubmit({
    store: database.storeOf(life),
    vault: {
      answer: (request) => asked((vault) => vault.answer(request)),
      confirm: (request) => asked((vault) => vault.confirm(request)),
    },
    log: {
      debug() {},
      info() {},
      warn() {},
      error(fields, message) {
        if (message !== 'the database cannot be used') refused(fields)
      },
    },
  })
  return { life, submit, bodies: new Set() }
}

async function startVault(
  world: World,
  { number, disk }: Pick<Node, 'number' | 'disk'>,
  { isFirst }: { readonly isFirst: boolean },
): Promise<RunningVault> {
  const { chance, schedule } = world
  const life: Life = { isOver: false }
  const nowMs = () => world.nowMs
  let isStarted = false
  const failures = () => (world.isCalm ? 0 : 0.03)
  const books = await openBooks({
    directory: emptyFolder,
    key: journalKey,
    clock: { nowMs },
    randomBytes: chance.bytes,
    onSuperseded: () => {},
    log: { warn() {} },
    portions: { headBytes: 32_768, keys: 64 },
    copies: noCopies,
    openJournal: async (options) =>
      openMemoryJournal({ disk, life, schedule, chance, failures, isStarted: () => isStarted }, options),
  })
  if (isFirst) {
    books.take(organizationId, bookedHeadOf(firstHead, first.tag))
    await books.sync()
  }
  isStarted = true
  world.witness.nodeHas(number, books.journalId())
  const { promise: death, reject } = Promise.withResolvers<never>()
  death.catch(() => {})
  const vault = createHistoryVault({ ...world, node: number, books, seals, life, nowMs })
  return { ...vault, life, death, die: () => reject(new VaultUnavailable('the vault died')) }
}

type Asking = { readonly request: string; readonly amount: number; readonly sentAtMs: number }

function requestOf({ request, amount, sentAtMs }: Asking): Request {
  const name = `${request} of ${sentAtMs - startMs}`
  const asked: Asked = { organizationId, timestampMs: String(sentAtMs), request: name, amount }
  const path = amount === 0 ? paths.change : paths.payment
  return { path, body: jsonBytes(asked), stamps: [], dialect: 'hosted' }
}

function queryOf(asking: Asking): Request {
  const { body } = requestOf(asking)
  const requestKey = requestKeyOf(asking.sentAtMs, fingerprintOf(body))
  const asked: Asked = { organizationId, timestampMs: '0', request: 'query', amount: 0, requestKey }
  return { path: paths.query, body: jsonBytes(asked), stamps: [], dialect: 'hosted' }
}

function keyOf({ body }: Request): string {
  return Buffer.from(body).toString('latin1')
}

function note(happened: Happened, what: string): void {
  happened.set(what, (happened.get(what) ?? 0) + 1)
}

function hasName(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && 'name' in value && value.name === name
}
