/** Carries out the calls of `at_once.ts`, one after another. */

import { workerData } from 'node:worker_threads'
import type { Call, Outcome, Start } from './at_once.ts'
import { copyDatabase, copyUnusedDatabase, dropDatabase, makeMigratedDatabase, runOnPostgres } from './postgres.ts'

const { port, flag }: Start = workerData
const functions = { copyDatabase, copyUnusedDatabase, dropDatabase, makeMigratedDatabase, runOnPostgres }

port.on('message', async ({ name, given }: Call) => {
  port.postMessage(await outcomeOf(name, given))
  Atomics.store(flag, 0, 1)
  Atomics.notify(flag, 0)
})

async function outcomeOf(name: Call['name'], given: readonly unknown[]): Promise<Outcome> {
  try {
    const called: (...given: readonly never[]) => Promise<unknown> = functions[name]
    return { result: await Reflect.apply(called, undefined, given) }
  } catch (error) {
    return { error }
  }
}
