import type { Found, Read } from '../protocol/reads.ts'

/**
 * The next thing that the vault wants, to compare its transparency log with the database. One comparison is a pass; the
 * vault keeps its place in it.
 */
export type ScrubWanted =
  /** The roots of bundles of the log, from this number on. */
  | { readonly of: 'roots'; readonly logId: string; readonly from: number; readonly limit: number }
  | { readonly of: 'bundle'; readonly logId: string; readonly number: number }
  /** To store a bundle that the database has lost or altered. */
  | ({ readonly of: 'restoring'; readonly logId: string } & RestoredBundle)
  /** Rows: as many of the first as fit into one message, at least one. */
  | { readonly of: 'rows'; readonly reads: readonly Read[] }
  /** The next activities behind this one. */
  | { readonly of: 'activities'; readonly after: ActivityPlace; readonly limit: number }
  /** The pass is over. */
  | { readonly of: 'nothing'; readonly report: ScrubReport }

/** `beginning` begins a pass, whatever was before. All others answer what the vault wanted last. */
export type ScrubFound =
  | { readonly of: 'beginning' }
  | { readonly of: 'roots'; readonly roots: readonly NumberedRoot[] }
  | { readonly of: 'bundle'; readonly bytes: Uint8Array | undefined }
  | { readonly of: 'restored' }
  | { readonly of: 'rows'; readonly presented: readonly { readonly read: Read; readonly found: Found }[] }
  | { readonly of: 'activities'; readonly activities: readonly ListedActivity[] }

export type RestoredBundle = { readonly number: number; readonly root: Uint8Array; readonly entries: Uint8Array }
export type NumberedRoot = { readonly number: number; readonly root: Uint8Array }

/** The order in which the database lists all activities. */
export type ActivityPlace = { readonly organizationId: string; readonly sequence: number }
export type ListedActivity = ActivityPlace & { readonly activityId: string; readonly version: number }

export type ScrubAnswer = {
  readonly wanted: ScrubWanted
  /** For the log, as found since the last answer. */
  readonly incidents: readonly string[]
}

export type ScrubReport = {
  /** The entries that were compared. */
  readonly entries: number
  /** The rows that got an entry. */
  readonly late: number
  /** The entries without a row of which nobody has said that their commit is on disk. */
  readonly unconfirmed: number
  /** The bundles that the database had lost or altered, and got again. */
  readonly restored: number
  /** All of them, also those beyond the number that is told. */
  readonly incidents: number
}
