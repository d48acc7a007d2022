import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyWithout } from './copied_program.ts'
import { middleHalf, readBenchArguments, startLoader } from './loading.ts'
import { createSigner, startClaviger } from './servers.ts'
import { type Spent, timeSpentBy } from './thread_time.ts'

/**
 * Measures what the transparency log costs a signature: the processor time of the server's threads, beside a copy of the
 * server that enters nothing for a signature.
 *
 *     node bench/log_cost.ts [--connections 16,64] [--rounds 10] [--scale 1]
 *
 * The two take turns, each first as often as second, so that other work of the machine slows both. The processor time is
 * that of the service and its vault together, and steadier than the rate where others use the machine. The cost is the
 * median of all rounds. It may be 4 %.
 */
const { connections: connectionCounts, rounds, scale } = readBenchArguments({ rounds: 10, connections: '16,64' })
const costMax = 0.04
const starts = 2

const entering = {
  file: 'src/vault/activity/logged_facts.ts',
  line: 'const headless = written === undefined || isLogged ? [] : [factOf(written.organizationId, undefined)]',
  without: 'const headless: readonly LoggedFact[] = (void isLogged, [])',
}

/** `spent`: for each signature. */
type Turn = { readonly perSecond: number; readonly spent: Spent }
type Round = { readonly logged: Turn; readonly bare: Turn }

const measured = new Map(connectionCounts.map((connections): [number, Round[]] => [connections, []]))
const loader = startLoader()
try {
  for (let start = 0; start < starts; start += 1) await measure()
} finally {
  loader.stop()
}
for (const [connections, ofAll] of measured) report(connections, ofAll)

/** Starts both servers on new folders, and lets them take turns. */
async function measure(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'claviger-log-cost-'))
  const logged = await started(join(folder, 'logged'))
  const bare = await started(join(folder, 'bare'), await copyWithout(entering, join(folder, 'program')))
  try {
    for (const side of [logged, bare]) await side.turn({ connections: 32, requests: 15_000 * scale })
    for (const [connections, ofAll] of measured) {
      const asked = { connections, requests: 6_000 * scale }
      for (let round = 0; round < rounds; round += 1) {
        const [first, second] = round % 2 === 0 ? [logged, bare] : [bare, logged]
        const turns = [await first.turn(asked), await second.turn(asked)] as const
        ofAll.push(round % 2 === 0 ? { logged: turns[0], bare: turns[1] } : { bare: turns[0], logged: turns[1] })
      }
    }
  } finally {
    await Promise.all([logged, bare].map(({ server }) => server.stop()))
    await rm(folder, { recursive: true, force: true })
  }
}

async function started(data: string, root?: string) {
  const server = await startClaviger(data, root === undefined ? {} : { root })
  const { signWith } = await createSigner(server)
  const { url, credentials } = server
  const spentSince = timeSpentBy(server)
  return {
    server,
    async turn(asked: { readonly connections: number; readonly requests: number }): Promise<Turn> {
      spentSince()
      const { requestsPerSecond: perSecond } = await loader.run({ url, credentials, signWith, ...asked })
      const spent = new Map([...spentSince()].map(([name, inAll]) => [name, inAll / asked.requests]))
      return { perSecond, spent }
    },
  }
}

function report(connections: number, ofAll: readonly Round[]): void {
  const median = (values: readonly number[]) => middleHalf(values).median
  const sum = ({ spent }: Turn) => [...spent.values()].reduce((all, part) => all + part, 0)
  const cost = middleHalf(ofAll.map(({ logged, bare }) => sum(logged) / sum(bare) - 1))
  const rate = middleHalf(ofAll.map(({ logged, bare }) => logged.perSecond / bare.perSecond))
  console.log(`${connections} connections, ${ofAll.length} rounds`)
  console.log(
    `  processor time of a signature: ${median(ofAll.map(({ logged }) => sum(logged))).toFixed(0)} µs with the log, ` +
      `${median(ofAll.map(({ bare }) => sum(bare))).toFixed(0)} without: ${percent(cost.median)} more ` +
      `(${percent(cost.from)} to ${percent(cost.to)})`,
  )
  console.log(`  rate: ${rate.median.toFixed(3)} (${rate.from.toFixed(3)} to ${rate.to.toFixed(3)})`)
  for (const name of new Set(ofAll.flatMap(({ logged }) => [...logged.spent.keys()]))) {
    const [mine, other] = [ofAll.map(({ logged }) => logged), ofAll.map(({ bare }) => bare)].map((turns) =>
      median(turns.map(({ spent }) => spent.get(name) ?? 0)),
    )
    if ((mine ?? 0) >= 1) console.log(`    ${name}: ${mine?.toFixed(1)} µs with the log, ${other?.toFixed(1)} without`)
  }
  if (cost.median > costMax) process.exitCode = 1
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
