import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoaderResult, LoaderRun } from './loader.ts'
import { columnsOf, columnTitles, medianOf, middleHalf, readBenchArguments, startLoader } from './loading.ts'
import { createSigner, residentMemory, type Server, startClaviger, startLimitServer } from './servers.ts'

/**
 * Measures signed activities per second, beside a server that does only the unavoidable part of the work.
 *
 *     node bench/signing.ts [--connections 1,16,64] [--rounds 15] [--scale 1] [--json]
 *
 * The two servers take turns of one or a few seconds, so that other work of the machine slows both. A round is a turn
 * of each, and the ratio is the median of the ratios of all rounds. `--scale 0.1` sends a tenth of the requests:
 * quicker and less exact.
 */
const { connections: connectionCounts, rounds, scale, json } = readBenchArguments({ rounds: 15 })

type Measured = {
  readonly connections: number
  /** The median turn of each. */
  readonly claviger: LoaderResult
  readonly limit: LoaderResult
  /** The median ratio of the rounds in activities per second, and the bounds of their middle half. */
  readonly ratio: ReturnType<typeof middleHalf>
}

const folder = await mkdtemp(join(tmpdir(), 'claviger-bench-'))
const limit = await startLimitServer(join(folder, 'limit'))
const claviger = await startClaviger(join(folder, 'claviger'))
const loader = startLoader()
try {
  const { credentials } = claviger
  const { signWith } = await createSigner(claviger)
  const target = { credentials, signWith }
  await warmUp(target)
  const measured: Measured[] = []
  for (const connections of connectionCounts) measured.push(await measure(target, connections))
  const memory = { claviger: await residentMemory(claviger), limit: await residentMemory(limit) }
  if (json) console.log(JSON.stringify({ measured, memory }))
  else print(measured, memory)
} finally {
  loader.stop()
  await Promise.all([limit.stop(), claviger.stop()])
  await rm(folder, { recursive: true, force: true })
}

type Target = Pick<LoaderRun, 'credentials' | 'signWith'>

/** Sends requests until the code of both servers is compiled and the database has some size. */
async function warmUp(target: Target): Promise<void> {
  for (const server of [limit, claviger]) await run(server, target, { connections: 32, requests: 20_000 * scale })
}

async function measure(target: Target, connections: number): Promise<Measured> {
  const requests = scale * (connections === 1 ? 800 : 6_000)
  const results: { limit: LoaderResult; claviger: LoaderResult }[] = []
  for (let round = 0; round < rounds; round += 1) {
    // Work that a server leaves behind slows the next turn. So each server comes after the other as often as after
    // itself.
    const turn = (server: Server) => run(server, target, { connections, requests })
    results.push(
      round % 2 === 0
        ? { limit: await turn(limit), claviger: await turn(claviger) }
        : { claviger: await turn(claviger), limit: await turn(limit) },
    )
  }
  const ratios = results.map((result) => result.claviger.requestsPerSecond / result.limit.requestsPerSecond)
  return {
    connections,
    claviger: medianOf(results.map((result) => result.claviger)),
    limit: medianOf(results.map((result) => result.limit)),
    ratio: middleHalf(ratios),
  }
}

function run(
  { url }: Server,
  target: Target,
  { connections, requests }: { readonly connections: number; readonly requests: number },
): Promise<LoaderResult> {
  return loader.run({ ...target, url, connections, requests })
}

type Memory = Readonly<Record<'claviger' | 'limit', Awaited<ReturnType<typeof residentMemory>>>>

function print(measured: readonly Measured[], memory: Memory): void {
  console.log('sign_raw_payload, one key, loader on the same machine: activities per second, latency in milliseconds\n')
  console.log(`connections | ${columnTitles('claviger')} | ${columnTitles('limit')} | ratio`)
  console.log('------------|----------------------------|----------------------------|--------------------')
  for (const { connections, claviger: ours, limit: theirs, ratio } of measured) {
    const [median, from, to] = [ratio.median, ratio.from, ratio.to].map((part) => part.toFixed(2))
    const columns = [
      String(connections).padStart(11),
      columnsOf(ours),
      columnsOf(theirs),
      `${median} (${from} to ${to})`,
    ]
    console.log(columns.join(' | '))
  }
  const [first] = measured
  console.log(`\nan answer has ${first?.claviger.answerBytes} bytes, of the limit server ${first?.limit.answerBytes}`)
  const { claviger: ours, limit: theirs } = memory
  console.log(
    `resident: service ${mebibytes(ours.own)}, vault ${mebibytes(ours.vault)}, limit ${mebibytes(theirs.own)}`,
  )
}

function mebibytes(bytes: number | undefined): string {
  return bytes === undefined ? 'none' : `${(bytes / 1024 ** 2).toFixed(0)} MiB`
}
