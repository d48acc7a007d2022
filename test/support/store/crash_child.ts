/**
 * Commits as fast as it can until it is killed, and prints the id of each commit that was acknowledged.
 * Usage: node crash_child.ts <path of the database>
 */

import { openSqliteStore } from '../../../src/service/store/sqlite/sqlite_store.ts'
import { activity, commitOf, idsInOrder, lookup, record } from './rows.ts'

const inFlight = 32
const commitsMax = 200_000

const store = await openSqliteStore({ path: process.argv[2] ?? '' })
const ids = idsInOrder(commitsMax).values()

await Promise.all(Array.from({ length: inFlight }, commitUntilKilled))

async function commitUntilKilled(): Promise<void> {
  for (const id of ids) {
    const outcome = await store.commit(
      commitOf({
        records: [record('organization', id)],
        lookups: [lookup('organization', id, { key: id })],
        activities: [activity('organization', id, { sealed: new Uint8Array(2000) })],
      }),
    )
    // Waits while the pipe is full. `writeSync` throws then.
    if (outcome === 'committed') process.stdout.write(`${id}\n`)
  }
}
