import type { MessageChannel } from './wire/outgoing_messages.ts'

/**
 * The contract between the vault, which has no database, and the service, which has the database but decides nothing.
 * The vault asks for reads (`Read`), and the service answers with rows (`Found`). A decision rests on a read set
 * (`ReadSetEntry`) and writes a `Commit`.
 *
 * The vault does not trust these values as such: records and heads are sealed, and a lookup is a hint that the vault
 * checks against the sealed record to which it leads.
 */

/** One read of the store. Every read names the organization of its rows, or for `holders` their parent. */
export type Read =
  /** Version and seal tag of an organization's head: enough when the vault still has that head in its cache. */
  | { readonly read: 'headTag'; readonly organizationId: string }
  | { readonly read: 'head'; readonly organizationId: string }
  | { readonly read: 'record'; readonly organizationId: string; readonly kind: string; readonly recordId: string }
  /** The records that this key (a credential, an address, a name) leads to, oldest first, at most `lookupRowsMax`. */
  | { readonly read: 'lookup'; readonly organizationId: string; readonly lookup: string; readonly key: string }
  /** The sub-organizations of a parent that have this key, by organization id. Cursors are organization ids. */
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
  /** Activities, newest first. A page ends early at `activityPageBytesMax`, but this limit never makes it empty. */
  | ({
      readonly read: 'activities'
      readonly organizationId: string
      readonly statuses?: readonly string[]
      readonly types?: readonly string[]
    } & Page)
  /** Events for one endpoint that wait, or whose delivery was given up, newest first. `after` is exclusive. */
  | {
      readonly read: 'webhooks'
      readonly organizationId: string
      readonly endpointId: string
      readonly isGivenUp: boolean
      readonly limit: number
      readonly after?: string
    }
  | { readonly read: 'webhook'; readonly organizationId: string; readonly messageId: string }
  | LogRead

/** Reads of the transparency logs of the deployment. */
export type LogRead =
  /** The entries of the organization with these change keys, in all logs. */
  | { readonly read: 'logProofs'; readonly organizationId: string; readonly changeKeys: readonly string[] }
  /** The entries of the organization in the tree that one log had when it had `size` entries, from a bundle on. */
  | {
      readonly read: 'logBundles'
      readonly organizationId: string
      readonly logId: string
      readonly size: number
      readonly from: number
    }

/**
 * `after` and `before` are exclusive ids from the list, and at most one of them is given. `before` asks for the page
 * that ends just before the cursor, in list order.
 */
export type Page = { readonly limit: number; readonly after?: string; readonly before?: string }

export const lookupRowsMax = 64

/**
 * Activities contain request bodies, so a hundred activities could take a hundred megabytes. A simulation of past
 * activities sends each page that it has read again with the next one.
 */
export const activityPageBytesMax = 4 * 1024 * 1024

export type HeadTag = { readonly version: number; readonly tag: string }
export type FoundHead = HeadTag & { readonly sealed: Uint8Array }
export type FoundRecord = { readonly recordId: string; readonly version: number; readonly sealed: Uint8Array }
export type FoundActivity = { readonly activityId: string; readonly version: number; readonly sealed: Uint8Array }
/** An event as the database tells of it. Only its sealed bytes are the vault's. */
export type FoundWebhook = WebhookPlace & {
  readonly messageId: string
  readonly expiresAtMs: number
  readonly attempts: number
  readonly dueAtMs: number
  /** When the delivery was given up. */
  readonly endedAtMs: number | null
  readonly reason: string | null
}
/** An entry of a log and its proof (C2SP tlog-proof). Nobody needs to believe them: the proof verifies. */
export type FoundLogProof = {
  readonly origin: string
  readonly index: number
  readonly entry: Uint8Array
  readonly proof: Uint8Array
}
/** See `Excerpt` of `log/exports/excerpt.ts`: entries as in a bundle, hashes one after the other. */
export type FoundLogBundle = {
  readonly from: number
  readonly indexes: readonly number[]
  readonly entries: Uint8Array
  readonly hashes: Uint8Array
  readonly proof: Uint8Array
}
export type LookupRow = { readonly organizationId: string; readonly kind: string; readonly recordId: string }

/** The answer to one read. `row` is undefined if there is no such row, `rows` if the cursor of a page is unknown. */
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
  | { readonly read: 'webhooks'; readonly rows: readonly FoundWebhook[] }
  | { readonly read: 'webhook'; readonly row: (FoundWebhook & { readonly sealed: Uint8Array }) | undefined }
  | { readonly read: 'logProofs'; readonly rows: readonly FoundLogProof[] }
  /** `rows` undefined: the log had no such tree. `next`: the bundle from which there may be more. */
  | {
      readonly read: 'logBundles'
      readonly rows: readonly FoundLogBundle[] | undefined
      readonly next: number | undefined
    }

/** One fact that a decision rests on. The commit checks every entry and writes nothing if one no longer holds. */
export type ReadSetEntry =
  /** `version` undefined: there is no such organization. */
  | {
      readonly of: 'head'
      readonly organizationId: string
      readonly version: number | undefined
      readonly tag: string | undefined
    }
  /** `version` undefined: there is no such record. `digest` (`digestOf` of the sealed bytes): these count too. */
  | {
      readonly of: 'record'
      readonly organizationId: string
      readonly kind: string
      readonly recordId: string
      readonly version: number | undefined
      readonly digest?: string
    }
  /** The key leads to exactly these rows, in any order. */
  | {
      readonly of: 'lookup'
      readonly organizationId: string
      readonly lookup: string
      readonly key: string
      readonly rows: readonly Pick<LookupRow, 'kind' | 'recordId'>[]
    }
  /** `version` undefined: no activity has this request key. */
  | {
      readonly of: 'request'
      readonly organizationId: string
      readonly requestKey: string
      readonly version: number | undefined
    }

/** Everything that one decision writes, in one transaction. */
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
  /** Messages to people and webhooks, delivered after the commit: see `OutboxRow`. */
  readonly outbox: readonly OutboxRow[]
  /**
   * Records that this commit makes unreachable, and their lookups: all records of one kind, or those of one owner. The
   * transaction removes `erasedAtOnceMax` at most. The others are removed soon after.
   */
  readonly erasures: readonly Erasure[]
}

/**
 * A message that waits for delivery. The unsealed members tell the service the queue and how long to try. The vault
 * relies on the sealed bytes only.
 */
export type OutboxRow = PeopleRow | WebhookRow | NoticeRow

type MessageRow = {
  readonly organizationId: string
  readonly messageId: string
  readonly expiresAtMs: number
  readonly sealed: Uint8Array
}

export type PeopleRow = MessageRow & { readonly channel: MessageChannel }

/** A notice for a mailbox. */
export type NoticeRow = MessageRow & {
  readonly channel: 'notice'
  /** The line in which it waits (`noticeLine`). The column had the user in earlier versions. */
  readonly userId: string
  readonly activityId: string
  /** Not delivered before. */
  readonly dueAtMs: number
}

/** An event for one endpoint. The organization is that of the endpoint. */
export type WebhookRow = MessageRow &
  WebhookPlace & {
    readonly channel: 'webhook'
    /** The organization in which the event happened: that of the endpoint, or a sub-organization. They take turns. */
    readonly happenedIn: string
    /** The dead letter that this event replays. It is removed. */
    readonly replaces?: string
  }

/** Events about one activity are delivered to an endpoint in the order of the activity's versions. */
export type WebhookPlace = {
  readonly endpointId: string
  readonly activityId: string
  readonly activityVersion: number
}

export type Erasure = { readonly organizationId: string; readonly kind: string; readonly ownerId: string | undefined }

/**
 * Records of all erasures of a commit together. Other commits wait for their end, and a wallet or a sub-organization may
 * have any number.
 */
export const erasedAtOnceMax = 200

/** How many records of each erasure a commit removes, if it has so many erasures. */
export function erasedOfEach(erasures: number): number {
  return Math.floor(erasedAtOnceMax / erasures)
}

/**
 * Returns a text that is equal for equal reads only. A part that may hold a space comes last. The reads of nearly every
 * request are written out, because sorting takes longer.
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
