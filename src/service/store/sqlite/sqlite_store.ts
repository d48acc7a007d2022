import assert from 'node:assert/strict'
import type { QueueOutcome } from '../queue_changes.ts'
import { errorOf, type Store } from '../store.ts'
import type { Job } from './batch.ts'
import { openReader } from './connection.ts'
import { prepareFile } from './prepare_file.ts'
import { createReader } from './sqlite_reader.ts'
import { startWriterThread } from './writer_thread.ts'

/**
 * Opens the embedded database, and makes it if there is none. This thread reads on its own connection; a worker thread
 * writes.
 * @throws SchemaError when the database has another schema than this program makes, or a newer program made it.
 * @throws Error when it cannot be opened.
 */
export async function openSqliteStore({
  path,
  onWarning = () => {},
}: {
  readonly path: string
  /** Told what a migration has found in the rows that somebody must mend. */
  readonly onWarning?: (text: string) => void
}): Promise<Store> {
  const schema = await prepareFile(path, { onWarning })
  const writer = await startWriterThread({ path, schema })
  const database = openReader(path)
  const { refresh, ping, ...reads } = createReader(database)

  return {
    ...reads,
    commit: async (commit) => ((await write({ do: 'commit', commit })) === 'conflict' ? 'conflict' : 'committed'),
    changeQueue: (change) => write({ do: 'changeQueue', change }),
    keepLog: async (kept) => void (await write({ do: 'keepLog', kept })),
    indexBundle: async (bundle) => void (await write({ do: 'indexBundle', bundle })),

    async initializeVaultState(state) {
      await write({ do: 'initializeVaultState', state })
      const stored = await reads.vaultState()
      assert(stored !== undefined, 'the state of the vault is stored')
      return stored
    },

    async health() {
      if (writer.lastError() !== undefined) await writer.write({ do: 'probe' }).catch(() => {})
      return { readError: await errorOf(ping), writeError: writer.lastError() }
    },

    async close() {
      // The connection that is closed last folds the log into the database, which a reader cannot.
      if (database.isOpen) database.close()
      await writer.close()
    },
  }

  /** Refreshes the reader before the outcome is known, so that the caller then finds what was written. */
  async function write(job: Job): Promise<QueueOutcome> {
    try {
      return await writer.write(job)
    } finally {
      refresh()
    }
  }
}
