import type { Job, Outcome } from './batch.ts'
import type { SchemaEntry } from './schema_guard.ts'
import type { sqliteQueries } from './sqlite_queries.ts'

/** What the thread starts with. */
export type WriterData = {
  readonly path: string
  readonly queries: typeof sqliteQueries
  /** The file's schema, as `prepareFile` returned it. */
  readonly schema: readonly SchemaEntry[]
}

export type ToWriter = { readonly kind: 'jobs'; readonly jobs: readonly Job[] } | { readonly kind: 'close' }

/** `outcomes` answers jobs in the order in which they were sent. */
export type FromWriter =
  | { readonly kind: 'ready' }
  | { readonly kind: 'outcomes'; readonly outcomes: readonly Outcome[] }

export function jobsMessage(jobs: readonly Job[]): ToWriter {
  return { kind: 'jobs', jobs: jobs.map(withOwnBytes) }
}

/** Copies bytes that are a part of a larger buffer, because all of that buffer would be cloned for the thread. */
function withOwnBytes(job: Job): Job {
  switch (job.do) {
    case 'commit': {
      const { heads, records, activities, outbox } = job.commit
      const commit = {
        ...job.commit,
        heads: heads.map((head) => ({ ...head, sealed: ownBytes(head.sealed) })),
        records: records.map((record) => ({ ...record, sealed: record.sealed && ownBytes(record.sealed) })),
        activities: activities.map((activity) => ({ ...activity, sealed: ownBytes(activity.sealed) })),
        outbox: outbox.map((message) => ({ ...message, sealed: ownBytes(message.sealed) })),
      }
      return { do: 'commit', commit }
    }
    case 'initializeVaultState':
      return { do: 'initializeVaultState', state: ownBytes(job.state) }
    default:
      return job
  }
}

function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}
