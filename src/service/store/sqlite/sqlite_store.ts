import assert from 'node:assert/strict'
import type { QueueOutcome } from '../queue_changes.ts'
import type { Health, Store } from '../store.ts'
import type { Job } from './batch.ts'
import { openReader } from './connection.ts'
import { prepareFile } from './prepare_file.ts'
import { createReader, type Reader } from './sqlite_reader.ts'
import { startWriterThread, type WriterThread } from './writer_thread.ts'

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
  const reader = createReader(database)

  return {
    find: async (reads) => reader.find(reads),
    changeMarks: async (organizationIds) => reader.changeMarks(organizationIds),
    activityBytes: async (activity) => reader.activityBytes(activity),
    commit: async (commit) => ((await write({ do: 'commit', commit })) === 'conflict' ? 'conflict' : 'committed'),
    nextMessageOrganization: async (from) => reader.nextMessageOrganization(from),
    dueMessages: async (due) => reader.dueMessages(due),
    waitingEndpoints: async (from) => reader.waitingEndpoints(from),
    nextWebhookSource: async (from) => reader.nextWebhookSource(from),
    largestWebhookSource: async (endpoint) => reader.largestWebhookSource(endpoint),
    dueWebhooks: async (due) => reader.dueWebhooks(due),
    dueNoticeLines: async (due) => reader.dueNoticeLines(due),
    dueNotices: async (due) => reader.dueNotices(due),
    dueLinesOfMailbox: async (of) => reader.dueLinesOfMailbox(of),
    changeQueue: (change) => write({ do: 'changeQueue', change }),
    keepLog: async (kept) => void (await write({ do: 'keepLog', kept })),
    indexBundle: async (bundle) => void (await write({ do: 'indexBundle', bundle })),
    logs: async () => reader.logs(),
    log: async (logId) => reader.log(logId),
    logBundle: async (bundle) => reader.logBundle(bundle),
    bundleRoots: async (range) => reader.bundleRoots(range),
    listedActivities: async (range) => reader.listedActivities(range),
    logIndex: async (range) => reader.logIndex(range),
    vaultState: async () => reader.vaultState(),

    async initializeVaultState(state) {
      await write({ do: 'initializeVaultState', state })
      const stored = reader.vaultState()
      assert(stored !== undefined, 'the state of the vault is stored')
      return stored
    },

    health: () => healthOf({ reader, writer }),

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
      reader.refresh()
    }
  }
}

type Threads = { readonly reader: Reader; readonly writer: WriterThread }

async function healthOf({ reader, writer }: Threads): Promise<Health> {
  if (writer.lastError() !== undefined) await writer.write({ do: 'probe' }).catch(() => {})
  return { readError: errorOf(reader.ping), writeError: writer.lastError() }
}

function errorOf(attempt: () => void): Error | undefined {
  try {
    attempt()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
