import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { LoaderResult, LoaderRun } from './loader.ts'

/**
 * Reads the arguments of a bench that uses the loader. `scale` multiplies the number of requests; `against` is the
 * checkout of another version.
 */
export function readBenchArguments({
  rounds,
  connections = '1,16,64',
}: {
  readonly rounds: number
  readonly connections?: string
}) {
  const { values } = parseArgs({
    options: {
      connections: { type: 'string', default: connections },
      rounds: { type: 'string', default: String(rounds) },
      scale: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      against: { type: 'string' },
      only: { type: 'string', default: '' },
    },
  })
  return {
    connections: values.connections.split(',').map(Number),
    rounds: Number(values.rounds),
    scale: Number(values.scale),
    json: values.json,
    against: values.against,
    only: values.only,
  }
}

/** Starts the process of `bench/loader.ts`, for one run after another. */
export function startLoader() {
  const loader = fork(join(import.meta.dirname, 'loader.ts'))
  return {
    async run(asked: LoaderRun): Promise<LoaderResult> {
      loader.send({ ...asked, requests: Math.ceil(asked.requests) })
      const ending = new AbortController()
      const exit = once(loader, 'exit', ending).then(() => {
        throw new Error('the loader failed')
      })
      exit.catch(() => {}) // aborted once there is an answer
      const [result] = await Promise.race([once(loader, 'message', ending), exit])
      ending.abort()
      return result
    },
    stop: () => loader.disconnect(),
  }
}

/** The median result by activities per second, so that the latencies belong to the same run. */
export function medianOf(results: readonly LoaderResult[]): LoaderResult {
  const middle = results.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond)[Math.floor(results.length / 2)]
  if (middle === undefined) throw new Error('at least one round')
  return middle
}

/** The median of some figures, and the bounds of their middle half. */
export function middleHalf(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] ?? Number.NaN
  return { median: at(0.5), from: at(0.25), to: at(0.75) }
}

/** The titles above the columns of `columnsOf`. */
export function columnTitles(name: string): string {
  return `${name.padStart(10)}     p50     p99`
}

/** Activities per second, and latencies in milliseconds. */
export function columnsOf({ requestsPerSecond, p50Ms, p99Ms }: LoaderResult): string {
  return `${requestsPerSecond.toFixed(0).padStart(10)} ${p50Ms.toFixed(2).padStart(7)} ${p99Ms.toFixed(2).padStart(7)}`
}
