import { hash } from 'node:crypto'
import { type Chance, createChance, createSchedule, type Schedule } from '../histories/schedule.ts'
import { createClients, type Sent } from './clients.ts'
import { type CommitTo, createDatabase, type Database } from './database.ts'
import { verifyExportOf } from './final_exports.ts'
import { isWholeIn, requireOneEntryOfEachHead } from './final_logs.ts'
import { checkFinalState } from './final_state.ts'
import { type Furnished, furnished, startMs } from './furnished.ts'
import { crash, type Node, type NodeStore, type Plants, type Surroundings, startNode } from './node.ts'
import { copyOf } from './tables.ts'
import { createWitness, type Witness } from './witness.ts'

export type SimulationOptions = {
  readonly seed: number
  readonly isLying: boolean
  /** The parts that a planted fault replaces. They are made for each history. */
  readonly plants?: (world: Furnished) => Planted
}

/** The parts of a history that a planted fault replaces. */
export type Planted = Plants & {
  readonly commitTo?: CommitTo
  readonly store?: (store: NodeStore) => NodeStore
}

/** How often each event happened, by its name. */
export type Happened = Map<string, number>

const minuteMs = 60 * 1000
/** Tokens and targets are signed on P-256 with a random number, and the ids of incidents are random. */
const randomTexts = /"(verificationToken|session|importBundle)":"[^"]*"|server error [(][^)]*[)]/g
const steps = 450
const requestsAtOnce = 5
/** Passcodes live five minutes. */
const passedMsMax = 4 * minuteMs
const repeatedAtTheEnd = 3
/** A service that reads a log lets others have their turns, and stands at no gate. */
const idleMax = 100
/** The part of the histories at whose end exports are verified: this takes half as long as a history. */
const exported = 0.3
/** A disk that was full has room for one of two writes. */
const repeatsMax = 20

type World = {
  readonly chance: Chance
  readonly schedule: Schedule
  readonly database: Database
  readonly witness: Witness
  readonly clients: ReturnType<typeof createClients>
  readonly around: Surroundings
  readonly nodes: Node[]
  readonly happened: Happened
  /** The requests in flight, by node. */
  readonly inFlight: Set<string>[]
  /** All that happened, as text: equal for equal seeds. */
  readonly story: string[]
  readonly broken: unknown[]
}

/**
 * Plays one history of two nodes with one database: real services and vaults, in one process, whose every wait ends
 * when a schedule says so. Throws when a promise is broken. `story` gets all that happened, as text.
 */
export async function simulate(options: SimulationOptions, happened: Happened, story: string[] = []): Promise<void> {
  const furniture = await furnished()
  const clock = { nowMs: startMs, failures: 0.03 }
  const world = createWorld(options, { furniture, happened, clock, story })
  const { chance, schedule, database, broken, nodes, around, inFlight } = world
  const disks = chance.happens(0.3) ? furniture.fullerDisks : furniture.disks
  for (const [number, disk] of disks.entries()) nodes.push(await startNode(around, number, { ...disk }))
  const crashes = chance.pick([0, 0.005, 0.02])
  const eager = chance.pick([0.1, 0.3, 0.6])
  const publishes = chance.pick([0, 0.02, 0.1])
  for (let step = 0; step < steps; step += 1) {
    const waiting = inFlight.reduce((sum, { size }) => sum + size, 0)
    if (waiting < requestsAtOnce && chance.happens(eager)) send(world, chance.pick(nodes), world.clients.next())
    else if (chance.happens(crashes)) await fall(world, chance.pick(nodes), { withService: chance.happens(0.5) })
    else if (chance.happens(publishes)) void chance.pick(nodes).service.publish()
    else if (chance.happens(0.02)) database.land()
    else if (chance.happens(0.01) && clock.nowMs < startMs + passedMsMax) clock.nowMs += chance.below(minuteMs)
    else await schedule.step()
    if (broken.length > 0) throw broken[0]
  }
  if (!options.isLying) {
    clock.failures = 0
    await endWell(world, furniture)
  }
}

function createWorld(
  { seed, isLying, plants }: SimulationOptions,
  {
    furniture,
    happened,
    clock,
    story,
  }: Pick<World, 'happened' | 'story'> & {
    readonly furniture: Furnished
    readonly clock: { nowMs: number; failures: number }
  },
): World {
  const chance = createChance(seed)
  const schedule = createSchedule(chance)
  const broken: unknown[] = []
  const planted = plants?.(furniture) ?? {}
  const clients = createClients({ chance, nowMs: () => clock.nowMs, world: furniture })
  const submissionOf = (fingerprint: string) =>
    clients.made.find((sent) => sent.fingerprint === fingerprint && !sent.name.endsWith('_activity'))
  const witness = createWitness(furniture, { isLying, submissionOf })
  const tables = copyOf(furniture.tables)
  const carriedOut = guarded(witness.carriedOut)
  const database = createDatabase({ tables, schedule, chance, carriedOut, isLying, commitTo: planted.commitTo })
  const storeOf: Surroundings['storeOf'] = (number, life) => {
    const store = database.storeOf(number, life)
    return planted.store?.(store) ?? store
  }

  function incident(cause: unknown): void {
    note(happened, 'incident')
    // A thrown error is always a bug. Only a lying database explains an incident.
    const isIncident = hasName(cause, 'IntegrityError') && !(cause instanceof Error)
    if (!isLying || !isIncident) broken.push(new Error('an incident', { cause }))
  }

  const around: Surroundings = {
    ...{ chance, schedule, plants: planted, incident, happens: (what) => note(happened, what) },
    vaultState: () => furniture.vaultState,
    storeOf,
    failures: () => clock.failures,
    left: guarded(witness.left),
    counted: witness.counted,
    nowMs: () => clock.nowMs,
    broken: (error) => broken.push(error),
  }
  return {
    ...{ chance, schedule, database, witness, clients, around, happened, broken },
    ...{ nodes: [], inFlight: [new Set<string>(), new Set<string>()], story },
  }

  /** What the witness throws must not reach the vault. */
  function guarded<A extends readonly unknown[]>(see: (...seen: A) => void): (...seen: A) => void {
    return (...seen) => {
      try {
        see(...seen)
      } catch (error) {
        broken.push(error)
      }
    }
  }
}

function send(world: World, node: Node, sent: Sent | undefined): void {
  const { broken, inFlight } = world
  // Equal requests in flight share one answer, which began with the first of them.
  if (sent === undefined || inFlight[node.number]?.has(keyOf(sent)) === true) return
  ask(world, node, sent).catch((error) => {
    broken.push(error)
  })
}

async function ask(world: World, node: Node, sent: Sent): Promise<number> {
  const { witness, clients, happened, inFlight, story } = world
  const own = inFlight[node.number]
  const { number } = node
  sent.nodes.add(number)
  own?.add(keyOf(sent))
  story.push(`${number} < ${sent.name} ${sent.fingerprint} by ${sent.by}`)
  const began = witness.begins()
  const answer = await node.service.submit(sent.request)
  own?.delete(keyOf(sent))
  const { status } = answer
  const text = Buffer.from(answer.body).toString('utf8')
  story.push(`${number} > ${status} ${sent.fingerprint} ${hash('sha256', text.replaceAll(randomTexts, ''))}`)
  note(happened, `answered ${status}`)
  if (status === 200) note(happened, `did ${sent.name}`)
  const body = JSON.parse(text)
  witness.answered(began, sent, number, { status, body })
  clients.learn(sent, body)
  return status
}

async function fall(world: World, node: Node, { withService }: { readonly withService: boolean }): Promise<void> {
  const { happened, inFlight, story, around } = world
  note(happened, withService ? 'power lost' : 'vault died')
  story.push(`${node.number} ! ${withService ? 'power' : 'vault'}`)
  if (withService) inFlight[node.number]?.clear()
  await crash(around, node, { withService })
}

/** Checks that, with an honest database, every request gets an answer once nothing fails any more. */
async function endWell(world: World, furniture: Furnished): Promise<void> {
  const { chance, schedule, database, witness, clients, nodes, broken } = world
  for (const node of nodes) if (chance.happens(0.5)) await fall(world, node, { withService: true })
  database.calm()
  while ((await schedule.step()) !== undefined) if (broken.length > 0) throw broken[0]
  const [first] = nodes
  if (first === undefined) throw new Error('there are nodes')
  for (let count = 0; count < repeatedAtTheEnd && clients.made.length > 0; count += 1) {
    await answerOf(world, chance.pick(nodes), chance.pick(clients.made))
  }
  const { members, parentId, childId } = furniture
  const [root] = members
  const activitiesOf = async (organizationId: string): Promise<readonly Json[]> => {
    const asked = clients.query('list_activities', { paginationOptions: { limit: '100' } }, root, organizationId)
    return (await answerOf(world, chance.pick(nodes), asked)).activities
  }
  let inParent = await activitiesOf(parentId)
  for (const waiting of inParent.filter(isWaiting)) {
    for (const member of members) {
      const { fingerprint } = waiting
      const asked = clients.activity('approve_activity', { fingerprint }, member)
      const { activity } = await answerOf(world, chance.pick(nodes), asked)
      if (activity !== undefined && !isWaiting(activity)) break
    }
  }
  if (inParent.some(isWaiting)) inParent = await activitiesOf(parentId)
  const activities = [...inParent, ...(await activitiesOf(childId))]
  const { userTags } = await answerOf(world, chance.pick(nodes), clients.query('list_user_tags', {}, root))
  const tagNames: readonly string[] = userTags.map(({ tagName }: Json) => tagName)
  checkFinalState(witness, { activities, tagNames }, { world: furniture, sent: clients.made })
  for (const node of nodes) {
    for (const organizationId of database.tables.heads.keys()) {
      await answerOf(world, node, clients.query('list_activities', {}, root, organizationId))
    }
    await publishAll(world, node)
  }
  requireOneEntryOfEachHead(witness.commits, nodes)
  if (chance.happens(exported)) await verifyExports(world, root)
}

/** With an honest database, an auditor finds no fault in the export of any organization. */
async function verifyExports(world: World, by: Furnished['members'][0]): Promise<void> {
  const { chance, clients, database, happened, nodes } = world
  const { heads, logs } = database.tables
  for (const organizationId of heads.keys()) {
    const { stamps, rules } = await verifyExportOf({
      ...{ organizationId, logs: [...logs.values()] },
      ask(query, parameters) {
        return answerOf(world, chance.pick(nodes), clients.query(query, parameters, by, organizationId))
      },
    })
    note(happened, 'stamp verified', stamps.checked)
    note(happened, 'decided again', rules.checked)
  }
}

/** With an honest database, all of a log is published once nothing fails any more. */
async function publishAll(world: World, node: Node): Promise<void> {
  const { database, happened } = world
  const isPublished = () => isWholeIn(database.tables, node.log)
  for (let attempt = 1; attempt <= repeatsMax && !isPublished(); attempt += 1)
    await drive(world, node.service.publish())
  if (!isPublished()) throw new Error(`the log of node ${node.number} is not whole in the database`)
  note(happened, 'log published')
}

type Json = ReturnType<typeof JSON.parse>

const isWaiting = ({ status }: Json) => status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED'

/** Asks as a client does: 503 says that the same request may be sent again. */
async function answerOf(world: World, node: Node, sent: Sent): Promise<Json> {
  const { witness } = world
  for (let attempt = 1; attempt <= repeatsMax; attempt += 1) {
    const began = witness.begins()
    const { status, body } = await drive(world, node.service.submit(sent.request))
    const answer = { status, body: JSON.parse(Buffer.from(body).toString('utf8')) }
    witness.answered(began, sent, node.number, answer)
    if (status !== 503) return answer.body
  }
  throw new Error(`${sent.name}: 503 when nothing fails any more`)
}

async function drive<T>({ broken, schedule }: World, asked: Promise<T>): Promise<T> {
  const settled: PromiseSettledResult<T>[] = []
  Promise.allSettled([asked]).then(([result]) => settled.push(result))
  for (let idle = 0; settled.length === 0; ) {
    idle = (await schedule.step()) === undefined ? idle + 1 : 0
    if (broken.length > 0) throw broken[0]
    if (idle === idleMax && settled.length === 0) throw new Error('there is no answer')
  }
  return asked
}

function keyOf({ fingerprint, by }: Sent): string {
  return `${fingerprint} ${by}`
}

function note(happened: Happened, what: string, times = 1): void {
  happened.set(what, (happened.get(what) ?? 0) + times)
}

function hasName(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && 'name' in value && value.name === name
}
