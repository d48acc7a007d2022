import type { MessageChannel } from './wire/outgoing_messages.ts'

/**
 * The contract between the vault, which decides but has no database, and the service, which has the database but
 * decides nothing: what is looked up (`Read`), what was found (`Found`), what a decision rests on (`ReadSetEntry`) and
 * what it writes (`Commit`).
 *
 * Nothing here is trusted by the vault for being here: records and heads are sealed, and a lookup is a hint that the
 * vault checks against the sealed record to which it leads.
 */

/** One thing to look up. Every read names its organization: rows are keyed by it first. */
export type Read =
  /** Version and seal tag of an organization's head: enough when the vault still has that head in its cache. */
  | { readonly read: 'headTag'; readonly organizationId: string }
  | { readonly read: 'head'; readonly organizationId: string }
  | { readonly read: 'record'; readonly organizationId: string; readonly kind: string; readonly recordId: string }
  /** Which records go by this key (a credential, an address, a name), oldest first, at most `lookupRowsMax`. */
  | { readonly read: 'lookup'; readonly organizationId: string; readonly lookup: string; readonly key: string }
  /** Which sub-organizations of a parent have this key, in order of organization id; the cursors are organization ids. */
  | ({ readonly read: 'holders'; readonly parentId: string; readonly lookup: string; readonly key: string } & Page)
  /** Records of one kind in order of creation, oldest first; `ownerId` narrows them to one owner. */
  | ({
      readonly read: 'page'
      readonly organizationId: string
      readonly kind: string
      readonly ownerId?: string
    } & Page)
  | { readonly read: 'activity'; readonly organizationId: string; readonly activityId: string }
  | { readonly read: 'request'; readonly organizationId: string; readonly requestKey: string }
  /** Activities, newest first. A page ends early when it has `activityPageBytesMax`, but is never empty for that. */
  | ({
      readonly read: 'activities'
      readonly organizationId: string
      readonly statuses?: readonly string[]
      readonly types?: readonly string[]
    } & Page)

/**
 * `after` and `before` are ids of that list, exclusive, never both; `before` asks for the page that ends just before the
 * cursor, in list order.
 */
export type Page = { readonly limit: number; readonly after?: string; readonly before?: string }

export const lookupRowsMax = 64

/** Bodies are part of activities, so a hundred of them could be a hundred megabytes. */
export const activityPageBytesMax = 12 * 1024 * 1024

export type HeadTag = { readonly version: number; readonly tag: string }
export type FoundHead = HeadTag & { readonly sealed: Uint8Array }
export type FoundRecord = { readonly recordId: string; readonly version: number; readonly sealed: Uint8Array }
export type FoundActivity = { readonly activityId: string; readonly version: number; readonly sealed: Uint8Array }
export type LookupRow = { readonly organizationId: string; readonly kind: string; readonly recordId: string }

/** The answer to one read; `undefined` when there is no such row, for a page: when its cursor is unknown. */
export type Found =
  | { readonly read: 'headTag'; readonly row: HeadTag | undefined }
  | { readonly read: 'head'; readonly row: FoundHead | undefined }
  | { readonly read: 'record'; readonly row: FoundRecord | undefined }
  | { readonly read: 'lookup'; readonly rows: readonly LookupRow[] }
  | { readonly read: 'holders'; readonly rows: readonly LookupRow[] | undefined }
  | { readonly read: 'page'; readonly rows: readonly FoundRecord[] | undefined }
  | { readonly read: 'activity'; readonly row: FoundActivity | undefined }
  | { readonly read: 'request'; readonly row: FoundActivity | undefined }
  | { readonly read: 'activities'; readonly rows: readonly FoundActivity[] | undefined }

/** What a decision rests on. The commit checks every entry and writes nothing when one no longer holds. */
export type ReadSetEntry =
  /** `version` undefined: there is no such organization. */
  | {
      readonly of: 'head'
      readonly organizationId: string
      readonly version: number | undefined
      readonly tag: string | undefined
    }
  /** `version` undefined: there is no such record. `digest`: of its sealed bytes (`digestOf`), where they count too. */
  | {
      readonly of: 'record'
      readonly organizationId: string
      readonly kind: string
      readonly recordId: string
      readonly version: number | undefined
      readonly digest?: string
    }
  /** Exactly these rows are found by the key, in any order. */
  | {
      readonly of: 'lookup'
      readonly organizationId: string
      readonly lookup: string
      readonly key: string
      readonly rows: readonly Pick<LookupRow, 'kind' | 'recordId'>[]
    }
  /** `version` undefined: no activity has this key. */
  | {
      readonly of: 'request'
      readonly organizationId: string
      readonly requestKey: string
      readonly version: number | undefined
    }

/** What one decision writes: all of it in one transaction, or none. */
export type Commit = {
  readonly readSet: readonly ReadSetEntry[]
  /** Version 1 is a new organization; any other replaces the head that the read set names. */
  readonly heads: readonly {
    readonly organizationId: string
    readonly parentId: string | undefined
    readonly version: number
    readonly tag: string
    readonly sealed: Uint8Array
  }[]
  /** Version 1 is a new record; `sealed` undefined removes the record. */
  readonly records: readonly {
    readonly organizationId: string
    readonly kind: string
    readonly recordId: string
    readonly ownerId: string | undefined
    readonly version: number
    readonly sealed: Uint8Array | undefined
  }[]
  readonly lookups: readonly {
    readonly change: 'add' | 'remove'
    readonly organizationId: string
    readonly lookup: string
    readonly key: string
    readonly kind: string
    readonly recordId: string
  }[]
  /** Version 1 is a new activity; any other replaces the one with this id. */
  readonly activities: readonly {
    readonly organizationId: string
    readonly activityId: string
    readonly requestKey: string
    readonly type: string
    readonly status: string
    readonly version: number
    readonly sealed: Uint8Array
  }[]
  /** Messages to people, delivered after the commit: see `OutboxRow`. */
  readonly outbox: readonly OutboxRow[]
  /**
   * Records that nobody can reach any more once this is written, and their lookups: all of one kind that have this
   * owner, or all of that kind. The first `erasedAtOnceMax` are removed in the transaction, the others soon after.
   */
  readonly erasures: readonly Erasure[]
}

/**
 * A message that waits for its delivery. What is not sealed tells the service which queue it belongs to and how long to
 * try; the vault goes by what is sealed.
 */
export type OutboxRow = {
  readonly organizationId: string
  readonly messageId: string
  readonly channel: MessageChannel
  readonly expiresAtMs: number
  readonly sealed: Uint8Array
}

export type Erasure = { readonly organizationId: string; readonly kind: string; readonly ownerId: string | undefined }

/** As many accounts as one request can make. */
export const erasedAtOnceMax = 1_000

/**
 * A text that is equal for equal reads only: what may hold a space comes last. Those of nearly every request are written
 * out: sorting takes longer.
 */
export function readKey(read: Read): string {
  switch (read.read) {
    case 'headTag':
    case 'head':
      return `${read.read} ${read.organizationId}`
    case 'record':
      return `record ${read.organizationId} ${read.kind} ${read.recordId}`
    case 'lookup':
      return `lookup ${read.organizationId} ${read.lookup} ${read.key}`
    case 'request':
      return `request ${read.organizationId} ${read.requestKey}`
    default:
      return JSON.stringify(read, Object.keys(read).sort())
  }
}
