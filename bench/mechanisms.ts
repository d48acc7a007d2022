import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { copyWithout } from './copied_program.ts'
import type { LoaderResult } from './loader.ts'
import { middleHalf, readBenchArguments, startLoader } from './loading.ts'
import { createSigner, startClaviger } from './servers.ts'

/**
 * Measures what each mechanism for speed gains: signed activities per second of the server, beside copies of it that
 * each lack one mechanism.
 *
 *     node bench/mechanisms.ts [--connections 1,16,64] [--rounds 5] [--scale 1] [--json] [--against DIR]
 *
 * With `--against` the only other server is the version in that checkout, which has its own `node_modules`. All servers take turns. A round is a turn of each. The same program, started twice, differs by several percent, so
 * all servers are started again after some rounds. The gain is the median of the ratios of all rounds of all starts,
 * the whole server to the copy. A mechanism that gains less than 5 % at 16 and at 64 connections should go.
 */
const { connections: connectionCounts, rounds, scale, json, against } = readBenchArguments({ rounds: 5 })
const starts = 5

/** One line of the source for each mechanism, and the line that turns the mechanism off. */
const mechanisms = [
  {
    name: 'recall (record 17)',
    file: 'src/service/requests/prefetch.ts',
    line: "const mayRecall = operation.kind === 'activity' && signs(operation) && !isAttested",
    without: 'const mayRecall = false && signs(operation as never)',
  },
  {
    name: 'sixteen at a time (record 19)',
    file: 'src/vault/state/turns.ts',
    line: 'const begunTogetherMax = 16',
    without: 'const begunTogetherMax = Number.MAX_SAFE_INTEGER',
  },
  {
    name: 'shared checks (record 20)',
    file: 'src/service/store/sqlite/apply.ts',
    line: 'if (isHeld) held.add(name)',
    without: '',
  },
] as const

type Other = { readonly name: string; readonly root: (folder: string) => Promise<string> }

/** The other servers: what each is called, and the folder of its program. */
const others: readonly Other[] =
  against === undefined
    ? mechanisms.map((mechanism) => ({
        name: mechanism.name,
        root: (folder: string) => copyWithout(mechanism, join(folder, `program-${mechanisms.indexOf(mechanism)}`)),
      }))
    : [{ name: `version in ${against}`, root: () => Promise.resolve(resolve(against)) }]

/** The ratios of all rounds by connections and other server, in lists of one start each. */
const measured = new Map(connectionCounts.map((connections) => [connections, others.map((): number[][] => [])]))
const loader = startLoader()
for (let start = 1; start <= starts; start += 1) {
  await using servers = await startAll()
  for (const side of servers.sides) await side.turn({ connections: 32, requests: 15_000 * scale })
  for (const [connections, ratios] of measured) {
    const found = await measure(servers, connections)
    for (const [index, ofStart] of ratios.entries()) ofStart.push(found[index] ?? [])
  }
}
loader.stop()
for (const [connections, ratios] of measured) {
  for (const [index, { name }] of others.entries()) {
    const ofStarts = ratios[index] ?? []
    const gain = middleHalf(ofStarts.flat())
    const medians = ofStarts.map((ofStart) => middleHalf(ofStart).median)
    if (json) console.log(JSON.stringify({ connections, name, gain, medians }))
    else console.log(`${String(connections).padStart(3)}  ${name}: ${textOf(gain)}; by start ${medians.map(percent)}`)
  }
}

/** Starts the server and its copies on new folders. */
async function startAll() {
  const folder = await mkdtemp(join(tmpdir(), 'claviger-mechanisms-'))
  const [whole, ...copies] = await Promise.all([undefined, ...others].map((other) => start(folder, other)))
  if (whole === undefined) throw new Error('the whole server is started first')
  const sides = [whole, ...copies]
  return {
    ...{ whole, copies, sides },
    async [Symbol.asyncDispose]() {
      await Promise.all(sides.map(({ server }) => server.stop()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Starts the server, or another in its place. */
async function start(folder: string, other: Other | undefined) {
  const index = other === undefined ? 'whole' : String(others.indexOf(other))
  const root = await other?.root(folder)
  const server = await startClaviger(join(folder, `data-${index}`), root === undefined ? {} : { root })
  const { signWith } = await createSigner(server)
  const { url, credentials } = server
  const turn = (asked: { readonly connections: number; readonly requests: number }): Promise<LoaderResult> =>
    loader.run({ url, credentials, signWith, ...asked })
  return { name: other?.name, server, turn }
}

/** Returns the ratios of the rounds, a list for each mechanism. */
async function measure({ whole, copies, sides }: Awaited<ReturnType<typeof startAll>>, connections: number) {
  const requests = 4_000 * scale
  const ratios = copies.map((): number[] => [])
  for (let round = 0; round < rounds; round += 1) {
    // Work that a server leaves behind slows the next turn. So the order changes in each round.
    const speeds = new Map<string | undefined, number>()
    for (let step = 0; step < sides.length; step += 1) {
      const side = sides[(round % 2 === 0 ? round + step : round + sides.length * rounds - step) % sides.length]
      if (side === undefined) throw new Error('there is a server at each place')
      speeds.set(side.name, (await side.turn({ connections, requests })).requestsPerSecond)
    }
    for (const [index, { name }] of copies.entries()) {
      ratios[index]?.push((speeds.get(whole.name) ?? Number.NaN) / (speeds.get(name) ?? Number.NaN))
    }
  }
  return ratios
}

function textOf({ median, from, to }: ReturnType<typeof middleHalf>): string {
  return `gains ${percent(median)} (${percent(from)} to ${percent(to)})`
}

function percent(ratio: number): string {
  return `${((ratio - 1) * 100).toFixed(1)} %`
}
