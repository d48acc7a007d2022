import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { entryFile } from '../../../src/link/entry_file.ts'
import type * as postgres from './postgres.ts'

/**
 * Calls functions of `postgres.ts` in a thread and waits for them, so that tests edit a database of PostgreSQL between
 * two steps as they edit a file: nothing else of the process runs meanwhile.
 */

type Functions = Pick<
  typeof postgres,
  'makeMigratedDatabase' | 'copyDatabase' | 'copyUnusedDatabase' | 'dropDatabase' | 'runOnPostgres'
>
export type Call = { readonly name: keyof Functions; readonly given: readonly unknown[] }
export type Outcome = { readonly result: unknown } | { readonly error: unknown }
export type Start = { readonly port: MessagePort; readonly flag: Int32Array }

const waitMsMax = 30_000

let started: Start | undefined

export function atOnce<Name extends keyof Functions>(
  name: Name,
  ...given: Parameters<Functions[Name]>
): Awaited<ReturnType<Functions[Name]>> {
  started ??= start()
  const { port, flag } = started
  Atomics.store(flag, 0, 0)
  port.postMessage({ name, given } satisfies Call)
  if (Atomics.wait(flag, 0, 0, waitMsMax) === 'timed-out') throw new Error(`${name} of PostgreSQL takes too long`)
  const outcome: Outcome | undefined = receiveMessageOnPort(port)?.message
  if (outcome === undefined) throw new Error('the thread answers before it says so')
  if ('error' in outcome) throw outcome.error
  return outcome.result as Awaited<ReturnType<Functions[Name]>>
}

function start(): Start {
  const { port1, port2 } = new MessageChannel()
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const workerData: Start = { port: port2, flag }
  const worker = new Worker(entryFile(import.meta.dirname, 'at_once_worker'), { workerData, transferList: [port2] })
  worker.unref()
  port1.unref()
  return { port: port1, flag }
}
