import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { Server } from './servers.ts'

/** Microseconds of processor time, by process and thread. */
export type Spent = ReadonlyMap<string, number>

/** Returns a function that returns what a server has spent since its last call, or since this one. */
export function timeSpentBy({ process: service }: Pick<Server, 'process'>): () => Spent {
  const processes = processesOf(service.pid ?? 0)
  let before = nanosecondsOf(processes)
  return () => {
    const now = nanosecondsOf(processes)
    const spent = new Map<string, number>()
    for (const [thread, { name, nanoseconds }] of now) {
      const used = nanoseconds - (before.get(thread)?.nanoseconds ?? 0)
      spent.set(name, (spent.get(name) ?? 0) + used / 1_000)
    }
    before = now
    return spent
  }
}

/** The service and its vault, by their ids. */
function processesOf(service: number): readonly (readonly [number, string])[] {
  const vaults = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, ...command]) => Number(parent) === service && command.join(' ').includes('vault/main.ts'))
  if (vaults.length === 0) throw new Error('the service has a vault')
  return [[service, 'service'], ...vaults.map(([id]) => [Number(id), 'vault'] as const)]
}

/** The processor time of each thread, and its name. */
function nanosecondsOf(processes: ReturnType<typeof processesOf>) {
  const threads = processes.flatMap(([id, name]) =>
    readdirSync(`/proc/${id}/task`).map((thread) => {
      const [nanoseconds] = readFileSync(`/proc/${id}/task/${thread}/schedstat`, 'utf8').split(' ')
      const threadName = readFileSync(`/proc/${id}/task/${thread}/comm`, 'utf8').trim()
      return [thread, { name: `${name}: ${threadName}`, nanoseconds: Number(nanoseconds) }] as const
    }),
  )
  return new Map(threads)
}
