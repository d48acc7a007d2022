import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { type Happened, simulate } from '../test/support/simulation/simulation.ts'

/**
 * Plays histories of two nodes with one database, on all cores, until it is stopped:
 *
 *     node bench/histories.ts [--from SEED] [--seeds NUMBER] [--cores NUMBER]
 *
 * Each seed is played with an honest database and with a lying one. It prints from which seed to go on later. It ends
 * with 1 at the first history that breaks a promise.
 */
const seedsOfPart = 100

type Part = { readonly from: number; readonly end: number }
type Played = { readonly events: readonly (readonly [string, number])[]; readonly cpuMs: number }
type Broken = { readonly seed: number; readonly isLying: boolean; readonly error: string }

if (process.send === undefined) await playOnAllCores()
else process.on('message', (part: Part) => void playPart(part))

async function playPart({ from, end }: Part): Promise<void> {
  const happened: Happened = new Map()
  const before = process.cpuUsage()
  for (let seed = from; seed < end; seed += 1) {
    for (const isLying of [false, true]) {
      try {
        await simulate({ seed, isLying }, happened)
      } catch (error) {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
        process.send?.({ seed, isLying, error: text } satisfies Broken)
        return
      }
    }
  }
  const { user, system } = process.cpuUsage(before)
  process.send?.({ events: [...happened], cpuMs: (user + system) / 1_000 } satisfies Played)
}

async function playOnAllCores(): Promise<void> {
  const number = { type: 'string' } as const
  const { values } = parseArgs({ options: { from: number, seeds: number, cores: number } })
  const from = Number(values.from ?? 0)
  const end = from + Number(values.seeds ?? 1_000_000)
  let next = from
  /** The first seeds of the parts that are being played. */
  const playing = new Set<number>()
  const happened = new Map<string, number>()
  let cpuMs = 0
  let isStopping = false
  process.once('SIGINT', () => {
    isStopping = true
    process.stdout.write('\nstopping after the seeds that are being played\n')
  })

  const firstUnplayed = () => Math.min(next, ...playing)

  async function playOnOne(): Promise<void> {
    // A terminal sends its signal to all: the part is played to its end.
    const child = fork(import.meta.filename, { detached: true })
    try {
      while (next < end && !isStopping) {
        const part: Part = { from: next, end: Math.min(end, next + seedsOfPart) }
        next = part.end
        playing.add(part.from)
        child.send(part)
        const [told] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [Played | Broken | number]
        if (typeof told !== 'object') throw new Error(`a process ended with ${told}`)
        if ('error' in told) return reportBroken(told)
        playing.delete(part.from)
        cpuMs += told.cpuMs
        for (const [event, count] of told.events) happened.set(event, (happened.get(event) ?? 0) + count)
        process.stdout.write(`all seeds before ${firstUnplayed()} kept every promise\n`)
      }
    } finally {
      child.kill()
    }
  }

  function reportBroken({ seed, isLying, error }: Broken): void {
    isStopping = true
    process.exitCode = 1
    process.stdout.write(`seed ${seed}, ${isLying ? 'a lying' : 'an honest'} database: ${error}\n`)
    process.stdout.write(`CLAVIGER_TEST_SEED=${seed} npx vitest run test/simulation/two_nodes.test.ts repeats it\n`)
  }

  const cores = Number(values.cores ?? availableParallelism())
  await Promise.all(Array.from({ length: cores }, playOnOne))
  const histories = 2 * (firstUnplayed() - from)
  const each = histories === 0 ? 0 : Math.round(cpuMs / histories)
  process.stdout.write(`${histories} histories, ${Math.round(cpuMs / 1_000)} s of processor time, ${each} ms each\n`)
  process.stdout.write(`${JSON.stringify(Object.fromEntries([...happened].sort()))}\n`)
  if (firstUnplayed() < end) process.stdout.write(`go on with --from ${firstUnplayed()}\n`)
}
