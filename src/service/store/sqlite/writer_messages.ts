import { takenBytesMax } from '../fair_queue.ts'
import { stepsOf } from '../queue_changes.ts'
import type { Job, Outcome } from './batch.ts'
import type { SchemaEntry } from './schema_guard.ts'
import type { sqliteQueries } from './sqlite_queries.ts'

/** The data with which the thread starts. */
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

/** The bytes of the large values that a job writes. */
export function bytesOf(job: Job): number {
  if (job.do === 'initializeVaultState') return job.state.length
  if (job.do === 'keepLog') return job.kept.bundles.reduce((sum, { entries }) => sum + entries.length, 0)
  if (job.do === 'indexBundle') {
    return job.bundle.rows.reduce((sum, { organization, places }) => sum + organization.length + places.length, 0)
  }
  if (job.do !== 'commit') return 0
  const { heads, records, activities, outbox } = job.commit
  let bytes = 0
  for (const rows of [heads, records, activities, outbox]) for (const { sealed } of rows) bytes += sealed?.length ?? 0
  return bytes
}

/**
 * The weight of a job where jobs take turns, in bytes. To change a portion of a queue or to erase records takes as long as to write a
 * megabyte, so each such job has a transaction of its own.
 */
export function weightOf(job: Job): number {
  const erases = job.do === 'commit' && job.commit.erasures.length > 0
  const isPortion = job.do === 'changeQueue' && stepsOf(job.change).some((step) => step.isPortion)
  return bytesOf(job) + (erases || isPortion ? takenBytesMax : 0)
}

/**
 * Returns the message that sends jobs to the thread, and the buffer to be moved there with it. The buffer holds a copy
 * of all bytes of the jobs. Posted without it, each of them would be copied twice more, and with it all of the larger
 * buffer that it may be a part of.
 */
export function jobsMessage(jobs: readonly Job[]): { readonly message: ToWriter; readonly moved: ArrayBuffer } {
  const moved = new ArrayBuffer(jobs.reduce((sum, job) => sum + bytesOf(job), 0))
  let usedBytes = 0
  function copy(bytes: Uint8Array): Uint8Array {
    const copied = new Uint8Array(moved, usedBytes, bytes.length)
    copied.set(bytes)
    usedBytes += bytes.length
    return copied
  }
  return { message: { kind: 'jobs', jobs: jobs.map((job) => withBytes(job, copy)) }, moved }
}

function withBytes(job: Job, copy: (bytes: Uint8Array) => Uint8Array): Job {
  switch (job.do) {
    case 'commit': {
      const { heads, records, activities, outbox } = job.commit
      const commit = {
        ...job.commit,
        heads: heads.map((head) => ({ ...head, sealed: copy(head.sealed) })),
        records: records.map((record) => ({ ...record, sealed: record.sealed && copy(record.sealed) })),
        activities: activities.map((activity) => ({ ...activity, sealed: copy(activity.sealed) })),
        outbox: outbox.map((message) => ({ ...message, sealed: copy(message.sealed) })),
      }
      return { do: 'commit', commit }
    }
    case 'initializeVaultState':
      return { do: 'initializeVaultState', state: copy(job.state) }
    case 'keepLog': {
      const bundles = job.kept.bundles.map((bundle) => ({ ...bundle, entries: copy(bundle.entries) }))
      return { do: 'keepLog', kept: { ...job.kept, bundles } }
    }
    case 'indexBundle': {
      const rows = job.bundle.rows.map((row) => {
        return { ...row, organization: copy(row.organization), places: copy(row.places) }
      })
      return { do: 'indexBundle', bundle: { ...job.bundle, rows } }
    }
    default:
      return job
  }
}
