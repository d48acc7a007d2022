import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExpensiveRequest, prepareExpensiveRequests } from '../test/support/expensive_requests.ts'
import { openConnection } from './connection.ts'
import type { LoaderResult } from './loader.ts'
import { middleHalf, readBenchArguments, startLoader } from './loading.ts'
import { type Client, createSigner, startClaviger, submit } from './servers.ts'
import { activityBody, createStamper } from './stamping.ts'
import { createTenant, typeOf } from './tenants.ts'

/**
 * Measures what a quiet organization notices of another one that floods the server with the most expensive requests.
 *
 *     node bench/quiet_tenant.ts [--connections 16] [--scale 1] [--json] [--only TEXT]
 *
 * `--only` takes a part of the name of a flood. The quiet one signs over a single connection: alone before each kind of
 * flood, and beside it. The 99th percentile of its latency beside a flood is to stay under five times the median of
 * those without. The last column compares it with the 99th percentile beside as many connections of ordinary
 * signatures: the part of the wait that any busy neighbour causes. The flood comes over `--connections` connections,
 * each of which sends the next request when the last one is answered. This process makes the flood, at the lowest
 * priority: on a machine of its own it would take no time of the server's.
 */
const { connections: [connections = 16] = [], scale, json, only } = readBenchArguments({ rounds: 1, connections: '16' })
const requests = 400 * scale

type Row = { readonly flood: string; readonly alone: LoaderResult; readonly beside: LoaderResult }

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
  yieldToOthers()
  const rows: Row[] = []
  for (const request of [ordinary, ...expensive.filter(({ what }) => what.includes(only))]) {
    const alone = await measure()
    const flood = startFlood(loud, request)
    await flood.begun
    const beside = await measure()
    rows.push({ flood: `${request.what} (${await flood.stop()})`, alone, beside })
  }
  report(rows)
} finally {
  loader.stop()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
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
    ...rows.map(({ flood, beside }) => ({ flood, ...beside })),
    { flood: 'nobody else', p50Ms: p50.median, p99Ms: p99.median },
  ]
  if (!json) console.log('    p50     p99  of the ordinary  of that beside ordinary signatures')
  for (const { flood, p50Ms, p99Ms } of all) {
    const ratios = { ratio: p99Ms / p99.median, ratioToBusy: p99Ms / busyP99Ms }
    if (json) console.log(JSON.stringify({ flood, p50Ms, p99Ms, ...ratios }))
    else
      console.log(
        [p50Ms, p99Ms, ...Object.values(ratios)].map((figure) => figure.toFixed(1).padStart(7)).join(' '),
        flood,
      )
  }
  if (!json)
    console.log(`p99 without a flood: half of the measures from ${p99.from.toFixed(1)} to ${p99.to.toFixed(1)} ms`)
}

/** Sends the request over all connections until it is stopped. `begun` resolves with the first answer of each. */
function startFlood({ url, credentials }: Client, { kind, name, parameters }: ExpensiveRequest) {
  const stamped = createStamper(credentials)
  const path = `/public/v1/${kind}/${name}`
  const startMs = Date.now()
  let isStopped = false
  const answers = new Map<number, number>()
  let index = 0

  async function send(begun: () => void): Promise<void> {
    const connection = await openConnection(url)
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

  const starts = Array.from({ length: connections }, () => Promise.withResolvers<void>())
  const sent = starts.map(({ resolve }) => send(resolve))
  return {
    begun: Promise.race(starts.map(({ promise }) => promise)),
    /** Returns how many answers of each status came. A refusal can take as long as a success. */
    async stop(): Promise<string> {
      isStopped = true
      await Promise.all(sent)
      return [...answers].map(([status, count]) => `${count} times ${status}`).join(', ') || 'no answer'
    },
  }
}
