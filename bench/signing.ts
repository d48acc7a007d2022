import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { LoaderResult, LoaderRun } from './loader.ts'
import { residentMemory, type Server, startClaviger, startLimitServer, submit } from './servers.ts'

/**
 * Signed activities per second, beside a server that does the unavoidable part of the work and nothing else.
 *
 *     node bench/signing.ts [--connections 1,16,64] [--rounds 3] [--scale 1] [--json]
 *
 * The two are measured in turns, so that what else the machine does meets both; the figure of each is the median of its
 * rounds. `--scale 0.1` sends a tenth of the requests: quicker, rougher.
 */
const { values: options } = parseArgs({
  options: {
    connections: { type: 'string', default: '1,16,64' },
    rounds: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
})
const rounds = Number(options.rounds)
const scale = Number(options.scale)

type Measured = {
  readonly connections: number
  readonly claviger: LoaderResult
  readonly limit: LoaderResult
  /** Of the medians of activities per second. */
  readonly ratio: number
}

const folder = await mkdtemp(join(tmpdir(), 'claviger-bench-'))
const limit = await startLimitServer(join(folder, 'limit'))
const claviger = await startClaviger(join(folder, 'claviger'))
const loader = fork(join(import.meta.dirname, 'loader.ts'))
try {
  const { credentials } = claviger
  const target = { credentials, signWith: await createSigner() }
  await warmUp(target)
  const measured: Measured[] = []
  for (const connections of options.connections.split(',').map(Number))
    measured.push(await measure(target, connections))
  const memory = { claviger: await residentMemory(claviger), limit: await residentMemory(limit) }
  if (options.json) console.log(JSON.stringify({ measured, memory }))
  else print(measured, memory)
} finally {
  loader.disconnect()
  await Promise.all([limit.stop(), claviger.stop()])
  await rm(folder, { recursive: true, force: true })
}

type Target = Pick<LoaderRun, 'credentials' | 'signWith'>

/** An Ethereum account of a new wallet. */
async function createSigner(): Promise<string> {
  const account = {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/44'/60'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  }
  const { addresses } = await submit(claviger, {
    name: 'create_wallet',
    type: 'ACTIVITY_TYPE_CREATE_WALLET',
    parameters: { walletName: 'Bench', accounts: [account] },
  })
  if (!Array.isArray(addresses)) throw new Error('a wallet is answered with its addresses')
  return String(addresses[0])
}

/** Until the code of both is compiled, and the database has some size. */
async function warmUp(target: Target): Promise<void> {
  for (const server of [limit, claviger]) await run(server, target, { connections: 32, requests: 20_000 * scale })
}

async function measure(target: Target, connections: number): Promise<Measured> {
  const requests = scale * (connections === 1 ? 4_000 : 30_000)
  const results: { limit: LoaderResult; claviger: LoaderResult }[] = []
  for (let round = 0; round < rounds; round += 1) {
    results.push({
      limit: await run(limit, target, { connections, requests }),
      claviger: await run(claviger, target, { connections, requests }),
    })
  }
  const ofLimit = median(results.map((result) => result.limit))
  const ofClaviger = median(results.map((result) => result.claviger))
  const ratio = ofClaviger.requestsPerSecond / ofLimit.requestsPerSecond
  return { connections, claviger: ofClaviger, limit: ofLimit, ratio }
}

async function run(
  { url }: Server,
  target: Target,
  { connections, requests }: { readonly connections: number; readonly requests: number },
): Promise<LoaderResult> {
  const asked: LoaderRun = { ...target, url, connections, requests: Math.ceil(requests) }
  loader.send(asked)
  return answerOf(loader)
}

async function answerOf(process: ChildProcess): Promise<LoaderResult> {
  const ending = new AbortController()
  const exit = once(process, 'exit', ending).then(() => {
    throw new Error('the loader failed')
  })
  exit.catch(() => {}) // aborted once there is an answer
  const [result] = await Promise.race([once(process, 'message', ending), exit])
  ending.abort()
  return result
}

/** The middle one by activities per second: its latencies belong to the same run. */
function median(results: readonly LoaderResult[]): LoaderResult {
  const middle = results.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond)[Math.floor(results.length / 2)]
  if (middle === undefined) throw new Error('at least one round')
  return middle
}

type Memory = Readonly<Record<'claviger' | 'limit', Awaited<ReturnType<typeof residentMemory>>>>

function print(measured: readonly Measured[], memory: Memory): void {
  console.log('sign_raw_payload, one key, loader on the same machine: activities per second, latency in milliseconds\n')
  console.log('connections |   claviger     p50     p99 |      limit     p50     p99 | ratio')
  console.log('------------|----------------------------|----------------------------|------')
  for (const { connections, claviger: ours, limit: theirs, ratio } of measured) {
    console.log(`${String(connections).padStart(11)} | ${columns(ours)} | ${columns(theirs)} | ${ratio.toFixed(2)}`)
  }
  const [mine] = measured
  console.log(`\nan answer has ${mine?.claviger.answerBytes} bytes, of the limit server ${mine?.limit.answerBytes}`)
  const { claviger: ours, limit: theirs } = memory
  console.log(
    `resident: service ${mebibytes(ours.own)}, vault ${mebibytes(ours.vault)}, limit ${mebibytes(theirs.own)}`,
  )
}

function columns({ requestsPerSecond, p50Ms, p99Ms }: LoaderResult): string {
  return `${requestsPerSecond.toFixed(0).padStart(10)} ${p50Ms.toFixed(2).padStart(7)} ${p99Ms.toFixed(2).padStart(7)}`
}

function mebibytes(bytes: number | undefined): string {
  return bytes === undefined ? 'none' : `${(bytes / 1024 ** 2).toFixed(0)} MiB`
}
