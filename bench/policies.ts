import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoaderResult } from './loader.ts'
import { columnsOf, columnTitles, medianOf, readBenchArguments, startLoader } from './loading.ts'
import { type Evaluated, measureEvaluation, measureVerification } from './policy_evaluation.ts'
import { createSigningOrganizations, type Signing } from './policy_organizations.ts'
import { startClaviger } from './servers.ts'

/**
 * Measures the evaluation of the twenty policies of `bench/policy_set.ts`, and signed activities per second by a user
 * whom one of them lets sign and by a root user without policies. An evaluation may take 50 microseconds, and the user
 * must reach 80 % of the root user's activities; otherwise the exit code is 1.
 *
 *     node bench/policies.ts [--connections 1,16,64] [--rounds 3] [--scale 1] [--json]
 *
 * All sign in one server, in turns, so that other work of the machine slows all. Each figure is the median of its
 * rounds. `--scale 0.1` sends a tenth of the requests: quicker and less exact.
 */
const { connections: connectionCounts, rounds, scale, json } = readBenchArguments({ rounds: 3 })
const ruleMicrosMax = 50
const ratioMin = 0.8

type Measured = {
  readonly connections: number
  readonly results: Readonly<Record<keyof Signing, LoaderResult>>
  /** Activities per second of the user whom a policy lets sign, divided by those of the root user without policies. */
  readonly ratio: number
  readonly ratioBesideOwnRoot: number
}

const verificationMicros = await measureVerification()
const evaluated = await measureEvaluation()
const folder = await mkdtemp(join(tmpdir(), 'claviger-bench-'))
const claviger = await startClaviger(folder)
const loader = startLoader()
try {
  const signing = await createSigningOrganizations(claviger)
  await takeTurns(signing, { connections: 32, requests: 10_000 * scale })
  const measured: Measured[] = []
  for (const connections of connectionCounts) measured.push(await measure(signing, connections))
  if (json) console.log(JSON.stringify({ verificationMicros, evaluated, measured }))
  else print({ verificationMicros, evaluated, measured })
  const isSlow = evaluated.some(({ ruleMicros }) => ruleMicros > ruleMicrosMax)
  if (isSlow || measured.some(({ ratio }) => ratio < ratioMin)) process.exitCode = 1
} finally {
  loader.stop()
  await claviger.stop()
  await rm(folder, { recursive: true, force: true })
}

type Load = { readonly connections: number; readonly requests: number }

async function takeTurns(signing: Signing, load: Load): Promise<Measured['results']> {
  const { url } = claviger
  return {
    rootWithout: await loader.run({ ...signing.rootWithout, ...load, url }),
    rootAbove: await loader.run({ ...signing.rootAbove, ...load, url }),
    userWithin: await loader.run({ ...signing.userWithin, ...load, url }),
  }
}

async function measure(signing: Signing, connections: number): Promise<Measured> {
  const requests = scale * (connections === 1 ? 4_000 : 30_000)
  const turns: Measured['results'][] = []
  for (let round = 0; round < rounds; round += 1) turns.push(await takeTurns(signing, { connections, requests }))
  const results = {
    rootWithout: medianOf(turns.map(({ rootWithout }) => rootWithout)),
    rootAbove: medianOf(turns.map(({ rootAbove }) => rootAbove)),
    userWithin: medianOf(turns.map(({ userWithin }) => userWithin)),
  }
  const { requestsPerSecond } = results.userWithin
  return {
    connections,
    results,
    ratio: requestsPerSecond / results.rootWithout.requestsPerSecond,
    ratioBesideOwnRoot: requestsPerSecond / results.rootAbove.requestsPerSecond,
  }
}

function print({
  verificationMicros,
  evaluated,
  measured,
}: {
  readonly verificationMicros: number
  readonly evaluated: readonly Evaluated[]
  readonly measured: readonly Measured[]
}): void {
  console.log('twenty policies in the vault: median microseconds\n')
  console.log('activity         | evaluation | before that, reading the request for them')
  console.log('-----------------|------------|------------------------------------------')
  for (const { activity, ruleMicros, factsMicros } of evaluated) {
    console.log(
      `${activity.padEnd(16)} | ${ruleMicros.toFixed(1).padStart(10)} | ${factsMicros.toFixed(1).padStart(41)}`,
    )
  }
  console.log(`\nbeside them: verifying one P-256 signature takes ${verificationMicros.toFixed(1)}`)
  console.log('\nsign_raw_payload, one key, loader on the same machine: activities per second, latency in milliseconds')
  console.log(
    '(a) a root user, no policies; (b) a root user above twenty; (c) a user whom one of the twenty lets sign\n',
  )
  console.log(`connections | ${['(a)', '(b)', '(c)'].map(columnTitles).join(' | ')} | (c):(a) | (c):(b)`)
  console.log(`------------|${`${'-'.repeat(28)}|`.repeat(3)}---------|--------`)
  for (const { connections, results, ratio, ratioBesideOwnRoot } of measured) {
    const columns = [results.rootWithout, results.rootAbove, results.userWithin].map(columnsOf)
    const ratios = [ratio.toFixed(2).padStart(7), ratioBesideOwnRoot.toFixed(2).padStart(7)]
    console.log([String(connections).padStart(11), ...columns, ...ratios].join(' | '))
  }
}
