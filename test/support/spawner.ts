/**
 * Starts processes from a small process. Linux copies the page tables of a process that starts another one, and then
 * each page at its next write. Decision 21 says what that costs a worker of the tests.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Happening, Order } from './spawner_process.ts'

export type Spawned = EventEmitter<{
  /** When the process has ended. */
  exit: [code: number | null, signal: NodeJS.Signals | null]
  /** When it has ended and all that it wrote is in the streams. */
  close: [code: number | null, signal: NodeJS.Signals | null]
  error: [error: Error]
}> & {
  /** Undefined until the process was started. */
  readonly pid: number | undefined
  /** Null while the process runs, and if a signal ended it. */
  readonly exitCode: number | null
  readonly stdout: PassThrough
  readonly stderr: PassThrough
  readonly kill: (signal: NodeJS.Signals) => void
}

type Given = {
  readonly cwd?: string
  readonly env: NodeJS.ProcessEnv
  /** The whole standard input. Absent: none. */
  readonly input?: string
}

/** As `spawn` of `node:child_process`, for outputs that are pipes. The process is killed if that of the tests ends. */
export function spawnApart(command: string, parts: readonly string[], { cwd, env, input }: Given): Spawned {
  const id = nextId++
  const state: { pid: number | undefined; exitCode: number | null } = { pid: undefined, exitCode: null }
  const child: Spawned = Object.defineProperties(
    Object.assign(new EventEmitter(), {
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      kill: (signal: NodeJS.Signals) => send({ kind: 'kill', id, signal }),
    }),
    { pid: { get: () => state.pid }, exitCode: { get: () => state.exitCode } },
  ) as Spawned
  listeners.set(id, (happening) => {
    if (happening.kind === 'started') state.pid = happening.pid
    if (happening.kind === 'wrote') child[happening.to].write(happening.bytes)
    if (happening.kind === 'failed') child.emit('error', new Error(happening.message))
    if (happening.kind === 'exit') {
      state.exitCode = happening.code
      child.emit('exit', happening.code, happening.signal)
    }
    if (happening.kind === 'close') {
      listeners.delete(id)
      child.stdout.end()
      child.stderr.end()
      child.emit('close', happening.code, happening.signal)
    }
  })
  send({ kind: 'spawn', id, command, parts, cwd, env, input })
  return child
}

let nextId = 0
let spawner: ChildProcess | undefined
const listeners = new Map<number, (happening: Happening) => void>()

function send(order: Order): void {
  spawner ??= startSpawner()
  spawner.send(order)
}

function startSpawner(): ChildProcess {
  const path = join(import.meta.dirname, 'spawner_process.ts')
  const started = fork(path, { execArgv: [], serialization: 'advanced' })
  started.on('message', (happening: Happening) => listeners.get(happening.id)?.(happening))
  started.unref()
  started.channel?.unref()
  return started
}
