import { mkdtemp, rm } from 'node:fs/promises'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { findOperation } from '../src/operations/catalogue.ts'
import { type ExpensiveRequest, prepareExpensiveRequests } from '../test/support/expensive_requests.ts'
import { generateApiKey } from '../test/support/stamping.ts'
import { openConnection } from './connection.ts'
import type { LoaderResult } from './loader.ts'
import { readBenchArguments, startLoader } from './loading.ts'
import { type Client, createSigner, startClaviger, submit } from './servers.ts'
import { activityBody, createStamper } from './stamping.ts'

/**
 * Measures what a quiet organization notices of another one that floods the server with the most expensive requests.
 *
 *     node bench/quiet_tenant.ts [--connections 16] [--scale 1] [--json] [--only TEXT]
 *
 * `--only` takes a part of the name of a flood. The quiet one signs over a single connection: first alone, then beside
 * each kind of flood, and alone again at the end. The 99th percentile of its latency beside a flood is to stay under
 * five times the one without. The flood comes over `--connections` connections, each of which sends the next request
 * when the last one is answered. This process makes the flood, at the lowest priority: on a machine of its own it would
 * take no time of the server's.
 */
const { connections: [connections = 16] = [], scale, json, only } = readBenchArguments({ rounds: 1, connections: '16' })
const requests = 400 * scale

const folder = await mkdtemp(join(tmpdir(), 'claviger-quiet-'))
const server = await startClaviger(join(folder, 'data'))
const loader = startLoader()
try {
  const quiet = await createTenant('quiet')
  // The root organization, because a sub-organization may not make one.
  const loud = { url: server.url, credentials: server.credentials }
  const { signWith } = await createSigner(quiet)
  const measure = (): Promise<LoaderResult> => loader.run({ ...quiet, signWith, connections: 1, requests })
  await loader.run({ ...quiet, signWith, connections: 8, requests: 5_000 * scale })
  const expensive = await prepareExpensiveRequests({
    done: (name, parameters) => submit(loud, { name, type: typeOf(name), parameters }),
  })
  setPriority(constants.priority.PRIORITY_LOW)
  const alone = await measure()
  report('nobody else', alone, alone)
  for (const request of expensive.filter(({ what }) => what.includes(only))) {
    const flood = startFlood(loud, request)
    await flood.begun
    const beside = await measure()
    report(`${request.what} (${await flood.stop()})`, beside, alone)
  }
  report('nobody else, at the end', await measure(), alone)
} finally {
  loader.stop()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

function report(flood: string, { p50Ms, p99Ms }: LoaderResult, alone: LoaderResult): void {
  const ratio = p99Ms / alone.p99Ms
  if (json) console.log(JSON.stringify({ flood, p50Ms, p99Ms, ratio }))
  else
    console.log(
      `${p50Ms.toFixed(1).padStart(7)} ${p99Ms.toFixed(1).padStart(7)} ${ratio.toFixed(1).padStart(6)}  ${flood}`,
    )
}

/** Makes a sub-organization with its own root user. Sub-organizations take turns like all others. */
async function createTenant(name: string): Promise<Client> {
  const { publicKey, privateKeyHex } = generateApiKey()
  const apiKeys = [{ apiKeyName: name, publicKey, curveType: 'API_KEY_CURVE_P256' }]
  const parameters = {
    subOrganizationName: name,
    rootUsers: [{ userName: name, apiKeys, authenticators: [], oauthProviders: [] }],
    rootQuorumThreshold: 1,
  }
  const made = await submit(server, {
    name: 'create_sub_organization',
    type: typeOf('create_sub_organization'),
    parameters,
  })
  const credentials = {
    ...server.credentials,
    organizationId: String(made.subOrganizationId),
    apiPublicKey: publicKey,
    apiPrivateKey: privateKeyHex,
  }
  return { url: server.url, credentials }
}

function typeOf(name: string): string {
  const operation = findOperation(`/public/v1/submit/${name}`)
  if (operation?.kind !== 'activity') throw new Error(`${name} is an activity`)
  return operation.types[0]?.type ?? ''
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
