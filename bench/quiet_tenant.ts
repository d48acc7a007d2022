import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setInterval } from 'node:timers/promises'
import { type ExpensiveRequest, prepareExpensiveRequests } from '../test/support/expensive_requests.ts'
import { openConnection } from './connection.ts'
import { connectionFloods, type Flood, type RunningFlood, strangerAddress } from './connection_floods.ts'
import type { LoaderResult } from './loader.ts'
import { middleHalf, readBenchArguments, startLoader } from './loading.ts'
import { type Client, createSigner, residentMemory, startClaviger, submit } from './servers.ts'
import { activityBody, createStamper } from './stamping.ts'
import { createTenant, typeOf } from './tenants.ts'

/**
 * Measures what a quiet organization notices of another one that floods the server with the most expensive requests, and
 * of strangers who flood it with connections.
 *
 *     node bench/quiet_tenant.ts [--connections 16] [--scale 1] [--json] [--only TEXT]
 *
 * `--only` takes a part of the name of a flood. The quiet one signs over a single connection: alone before each kind of
 * flood, and beside it. The 99th percentile of its latency beside a flood is to stay under five times the median of
 * those without. The last column compares it with the 99th percentile beside as many connections of ordinary
 * signatures: the part of the wait that any busy neighbour causes. The flood of an organization comes over
 * `--connections` connections, each of which sends the next request when the last one is answered. This process makes
 * the flood, at the lowest priority: on a machine of its own it would take no time of the server's. The memory is the
 * most that the service, without the vault, had in several looks during the flood.
 */
const { connections: [connections = 16] = [], scale, json, only } = readBenchArguments({ rounds: 1, connections: '16' })
const requests = 400 * scale

type Row = {
  readonly flood: string
  readonly alone: LoaderResult
  readonly beside: LoaderResult
  readonly peakBytes: number
}

const memoryLookMs = 250

/** Each has a connection of its own, and all have one address. */
const subOrganizations = 300
const familyFlood = `${subOrganizations} sub-organizations at one address that sign 100 payloads each`

/** The requests of a busy neighbour who floods nobody. */
const ordinaryRequest = 'ordinary signatures'

const folder = await mkdtemp(join(tmpdir(), 'claviger-quiet-'))
const server = await startClaviger(join(folder, 'data'))
const loader = startLoader()
try {
  const quiet = await createTenant(server, 'quiet')
  // The root organization, because a sub-organization may not make one.
  const loud = { url: server.url, credentials: server.credentials }
  const { signWith } = await createSigner(quiet)
  const measure = (): Promise<LoaderResult> => loader.run({ ...quiet, signWith, connections: 1, requests })
  await loader.run({ ...quiet, signWith, connections: 8, requests: 5_000 * scale })
  const expensive = await prepareExpensiveRequests({
    done: (name, parameters) => submit(loud, { name, type: typeOf(name), parameters }),
  })
  const ordinary = await signaturesOf(loud)
  const requestFloods = expensive.map((request) => floodOf(loud, request))
  const family = familyFlood.includes(only) ? [await familyFloodOf(loud)] : []
  const floods = [
    ...requestFloods,
    ...family,
    ...connectionFloods(server.url, quiet.credentials.organizationId),
  ].filter(({ what }) => what.includes(only))
  yieldToOthers()
  const rows: Row[] = []
  for (const { what, start } of [floodOf(loud, ordinary), ...floods]) {
    const alone = await measure()
    const flood = start()
    await flood.begun
    const memory = watchMemory()
    const beside = await measure()
    const peakBytes = await memory.stop()
    rows.push({ flood: `${what} (${await flood.stop()})`, alone, beside, peakBytes })
  }
  report(rows)
} finally {
  loader.stop()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

function watchMemory() {
  const stopping = new AbortController()
  let peakBytes = 0
  async function look(): Promise<void> {
    peakBytes = Math.max(peakBytes, (await residentMemory(server)).own)
  }
  async function lookAgainAndAgain(): Promise<void> {
    for await (const _ of setInterval(memoryLookMs, undefined, { signal: stopping.signal })) await look()
  }
  const looking = lookAgainAndAgain().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error
  })
  return {
    async stop(): Promise<number> {
      stopping.abort()
      await looking
      await look()
      return peakBytes
    },
  }
}

/** Gives every thread of this process the lowest priority. On Linux a priority is that of one thread. */
function yieldToOthers(): void {
  const threads = '/proc/self/task'
  const ids = existsSync(threads) ? readdirSync(threads).map(Number) : [process.pid]
  for (const id of ids) setPriority(id, constants.priority.PRIORITY_LOW)
}

async function signaturesOf(client: Client): Promise<ExpensiveRequest> {
  const { signWith } = await createSigner(client)
  const parameters = () => ({
    signWith,
    payload: randomBytes(32).toString('hex'),
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  })
  return { what: ordinaryRequest, kind: 'submit', name: 'sign_raw_payload', parameters }
}

/** The measures without a flood differ by three times, so their median is what is ordinary. */
function report(rows: readonly Row[]): void {
  const p99 = middleHalf(rows.map(({ alone }) => alone.p99Ms))
  const p50 = middleHalf(rows.map(({ alone }) => alone.p50Ms))
  const busyP99Ms = rows.find(({ flood }) => flood.startsWith(ordinaryRequest))?.beside.p99Ms ?? Number.NaN
  const all = [
    ...rows.map(({ flood, beside, peakBytes }) => ({ flood, ...beside, peakMiB: peakBytes / 2 ** 20 })),
    { flood: 'nobody else', p50Ms: p50.median, p99Ms: p99.median, peakMiB: Number.NaN },
  ]
  if (!json) console.log('    p50     p99  of the ordinary  of that beside ordinary signatures  peak MiB')
  for (const { flood, p50Ms, p99Ms, peakMiB } of all) {
    const figures = { p50Ms, p99Ms, ratio: p99Ms / p99.median, ratioToBusy: p99Ms / busyP99Ms, peakMiB }
    if (json) console.log(JSON.stringify({ flood, ...figures }))
    else
      console.log(
        Object.values(figures)
          .map((figure) => figure.toFixed(1).padStart(7))
          .join(' '),
        flood,
      )
  }
  if (!json)
    console.log(`p99 without a flood: half of the measures from ${p99.from.toFixed(1)} to ${p99.to.toFixed(1)} ms`)
}

function floodOf(client: Client, request: ExpensiveRequest): Flood {
  const senders = Array.from({ length: connections }, () => ({ client, parameters: request.parameters }))
  return { what: request.what, start: () => startFlood(senders, request) }
}

/** Makes the sub-organizations, with a wallet in each. */
async function familyFloodOf(parent: Client): Promise<Flood> {
  const senders: Sender[] = []
  for (let made = 0; made < subOrganizations; made += 1) {
    const client = await createTenant(parent, `family ${made}`)
    const { signWith } = await createSigner(client)
    const payloads = () => Array.from({ length: 100 }, () => randomBytes(32).toString('hex'))
    const how = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP' }
    senders.push({ client, from: strangerAddress, parameters: () => ({ signWith, payloads: payloads(), ...how }) })
  }
  return { what: familyFlood, start: () => startFlood(senders, { kind: 'submit', name: 'sign_raw_payloads' }) }
}

/** A connection of a flood. `from`: the address that it has, if it is not the one of the quiet organization. */
type Sender = Pick<ExpensiveRequest, 'parameters'> & { readonly client: Client; readonly from?: string }

/** Sends the request over all connections until it is stopped. `begun` resolves with the first answer. */
function startFlood(senders: readonly Sender[], { kind, name }: Pick<ExpensiveRequest, 'kind' | 'name'>): RunningFlood {
  const path = `/public/v1/${kind}/${name}`
  const startMs = Date.now()
  let isStopped = false
  const answers = new Map<number, number>()
  let index = 0

  async function send({ client: { url, credentials }, from, parameters }: Sender, begun: () => void): Promise<void> {
    const stamped = createStamper(credentials)
    const connection = await openConnection(url, from)
    while (!isStopped) {
      index += 1
      const given = parameters(index)
      const { organizationId } = credentials
      // Two requests of one millisecond would be one activity.
      const activity = () => ({
        ...activityBody(organizationId, typeOf(name), given),
        timestampMs: String(startMs + index),
      })
      const body = kind === 'submit' ? activity() : { organizationId, ...given }
      const { status } = await connection.exchange(stamped(path, body))
      answers.set(status, (answers.get(status) ?? 0) + 1)
      begun()
    }
    connection.close()
  }

  const { promise, resolve } = Promise.withResolvers<void>()
  const sent = senders.map((sender) => send(sender, resolve))
  return {
    begun: promise,
    /** Returns how many answers of each status came, because a refusal can take as long as a success. */
    async stop(): Promise<string> {
      isStopped = true
      await Promise.all(sent)
      return [...answers].map(([status, count]) => `${count} times ${status}`).join(', ') || 'no answer'
    },
  }
}
