import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limitCpu } from './cpu_quota.ts'
import type { LoaderResult, Target } from './loader.ts'
import { medianOf, readBenchArguments, startLoader } from './loading.ts'
import { createSigner, startClaviger } from './servers.ts'
import { createTenant } from './tenants.ts'

/**
 * Measures how many signatures a second a node makes with one, two and four vaults.
 *
 *     node bench/vaults.ts [--connections 64] [--rounds 5] [--scale 1] [--json]
 *
 * Each process that decides may use a fifth of a core, so that four of them, and all others, fit into a machine of two
 * cores. With one vault the same process also keeps the journal. With more another process does, which is not limited,
 * like the service. A second table has no limits: it shows what the further process costs where one vault would do, and
 * the processor time of a signature in the threads that can become the ceiling.
 *
 * The command ends with 1 when two vaults sign less than 1.8 times as much as one, or four less than 3.2 times.
 */
const {
  connections: [connections = 64] = [],
  rounds,
  scale,
  json,
} = readBenchArguments({ rounds: 5, connections: '64' })

const share = 0.2
const organizations = 32
const least: ReadonlyMap<number, number> = new Map([
  [2, 1.8],
  [4, 3.2],
])

type Node = Awaited<ReturnType<typeof startNode>>

const folder = await mkdtemp(join(tmpdir(), 'claviger-vaults-'))
const loader = startLoader()
const nodes: Node[] = []
try {
  for (const vaults of [1, 2, 4]) nodes.push(await startNode(vaults))
  for (const node of nodes) await node.run(connections, 6_000 * scale)
  const unlimited = await measureUnlimited(nodes.slice(0, 2))
  const { by, limited } = await measureLimited()
  const missed = limited.filter(({ vaults, ratio }) => ratio < (least.get(vaults) ?? 0))
  if (json) console.log(JSON.stringify({ by, limited, unlimited }))
  else print(by, limited, unlimited)
  if (missed.length > 0) process.exitCode = 1
} finally {
  loader.stop()
  for (const { stop } of nodes) await stop()
  await rm(folder, { recursive: true, force: true })
}

async function startNode(vaults: number) {
  const server = await startClaviger(join(folder, String(vaults)), { more: ['--vaults', String(vaults)] })
  const targets: Target[] = []
  for (let index = 0; index < organizations; index += 1) {
    const tenant = await createTenant(server, `organization ${index}`)
    targets.push({ credentials: tenant.credentials, signWith: (await createSigner(tenant)).signWith })
  }
  const [first, ...more] = targets
  if (first === undefined) throw new Error('there is an organization')
  const service = server.process.pid ?? 0
  const [main = 0] = childrenOf(service)
  const deciders = vaults === 1 ? [main] : childrenOf(main)
  if (deciders.length !== vaults) throw new Error(`${vaults} vaults run, and not ${deciders.length}`)
  return {
    vaults,
    service,
    /** The process that keeps the journal. */
    main,
    deciders,
    run: (over: number, requests: number) =>
      loader.run({ ...first, more, url: server.url, connections: over, requests }),
    stop: () => server.stop(),
  }
}

async function measureLimited() {
  const quotas = nodes.flatMap(({ deciders }) => deciders.map((pid) => limitCpu(pid, share)))
  try {
    const results = await takeRounds(nodes, connections, (vaults) => 1_500 * vaults * scale)
    const [one] = results
    const limited = results.map(({ vaults, median: { requestsPerSecond } }) => {
      return { vaults, perSecond: requestsPerSecond, ratio: requestsPerSecond / (one?.median.requestsPerSecond ?? 0) }
    })
    return { by: quotas[0]?.by, limited }
  } finally {
    for (const { lift } of quotas) await lift()
  }
}

async function measureUnlimited(compared: readonly Node[]) {
  const rows = []
  for (const over of [1, 16]) {
    for (const { vaults, median, cpuMs } of await takeRounds(
      compared,
      over,
      () => (over === 1 ? 400 : 3_000) * scale,
    )) {
      rows.push({ connections: over, vaults, perSecond: median.requestsPerSecond, p50Ms: median.p50Ms, cpuMs })
    }
  }
  return rows
}

/** Each round is a turn of each node, so that other work of the machine slows all of them. */
async function takeRounds(taking: readonly Node[], over: number, requestsOf: (vaults: number) => number) {
  const taken = taking.map((node) => ({ node, results: [] as LoaderResult[], requests: 0, used: cpuOf(node) }))
  for (const { used } of taken) for (const name of Object.keys(used)) used[name as keyof typeof used] = 0
  for (let round = 0; round < rounds; round += 1) {
    for (const turn of round % 2 === 0 ? taken : taken.toReversed()) {
      const before = cpuOf(turn.node)
      const requests = Math.ceil(requestsOf(turn.node.vaults))
      turn.results.push(await turn.node.run(over, requests))
      const after = cpuOf(turn.node)
      turn.requests += requests
      turn.used.service += after.service - before.service
      turn.used.journal += after.journal - before.journal
      turn.used.deciders += after.deciders - before.deciders
    }
  }
  return taken.map(({ node: { vaults }, results, requests, used }) => ({
    vaults,
    median: medianOf(results),
    cpuMs: { service: used.service / requests, journal: used.journal / requests, deciders: used.deciders / requests },
  }))
}

/** Milliseconds that the main threads have used. Other threads compile, collect garbage and write. */
function cpuOf({ service, main, deciders }: Node) {
  return {
    service: cpuMsOf(service),
    journal: cpuMsOf(main),
    deciders: deciders.reduce((sum, pid) => sum + cpuMsOf(pid), 0),
  }
}

/** In ticks of ten milliseconds (proc(5)). The name of a thread may have spaces, so fields are counted behind it. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function childrenOf(pid: number): readonly number[] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...command]) => Number(parent) === pid && command.join(' ').includes('vault/main.ts'))
    .map(([child]) => Number(child))
}

function print(
  by: string | undefined,
  limited: Awaited<ReturnType<typeof measureLimited>>['limited'],
  unlimited: Awaited<ReturnType<typeof measureUnlimited>>,
): void {
  console.log(
    `each vault with ${share} of a core (${by}), ${organizations} organizations, ${connections} connections\n`,
  )
  console.log('vaults | signatures per second | to one vault')
  for (const { vaults, perSecond, ratio } of limited) {
    console.log(
      `${String(vaults).padStart(6)} | ${perSecond.toFixed(0).padStart(21)} | ${ratio.toFixed(2).padStart(12)}`,
    )
  }
  console.log('\nwithout limits; milliseconds of the main threads for a signature\n')
  console.log('connections | vaults | per second | p50 ms | service | journal | vaults')
  for (const { connections: over, vaults, perSecond, p50Ms, cpuMs } of unlimited) {
    const journal = vaults === 1 ? 'as vault' : cpuMs.journal.toFixed(2)
    const columns = [
      String(over).padStart(11),
      String(vaults).padStart(6),
      perSecond.toFixed(0).padStart(10),
      p50Ms.toFixed(1).padStart(6),
      cpuMs.service.toFixed(2).padStart(7),
      journal.padStart(8),
      cpuMs.deciders.toFixed(2).padStart(6),
    ]
    console.log(columns.join(' | '))
  }
}
