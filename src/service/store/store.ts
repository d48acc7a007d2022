import assert from 'node:assert/strict'
import type { ActivityPlace, ListedActivity } from '../../link/scrubbing.ts'
import type { Commit, Found, NoticeRow, OutboxRow, Page, Read, WebhookRow } from '../../protocol/reads.ts'
import type { MessageChannel } from '../../protocol/wire/outgoing_messages.ts'
import type { ChangeMark } from './change_marks.ts'
import type { MessageAttempt, QueueChange, QueueOutcome } from './queue_changes.ts'

/** An organization with messages that are due, and its parent. */
export type WaitingOrganization = { readonly organizationId: string; readonly parentId: string | null }

/** An endpoint for which events wait. `dueAtMs` and `messageId`: of the one that is due first. */
export type WaitingEndpoint = WaitingOrganization &
  Pick<WebhookRow, 'endpointId' | 'messageId'> & { readonly dueAtMs: number }

/** All that the service asks of a database, in no database's dialect. */
export type Store = {
  /**
   * Reads everything from one snapshot and answers in the order of the reads. The cursor of a list of activities may be
   * any activity of the organization, because a status can change while a client turns pages.
   */
  find(reads: readonly Read[]): Promise<readonly Found[]>
  /** The marks of these organizations, by which the service sees that something has changed. Unknown ones are left out. */
  changeMarks(organizationIds: readonly string[]): Promise<readonly ChangeMark[]>
  /** The size of a sealed activity in bytes; 0 if there is none. */
  activityBytes(activity: { readonly organizationId: string; readonly activityId: string }): Promise<number>
  /**
   * `committed`: all of it is on disk. `conflict`: the read set no longer holds, or another commit took the same unique
   * key; nothing was written. Rejects when the database cannot write or its schema was changed; then nothing of the
   * commit is visible.
   */
  commit(commit: Commit): Promise<'committed' | 'conflict'>
  /**
   * The next organization after this id in which messages of a channel are due. `exceptParent` passes over the
   * sub-organizations of one. It is empty for none.
   */
  nextMessageOrganization(from: {
    readonly channel: MessageChannel
    readonly after: string
    readonly exceptParent: string
    readonly nowMs: number
  }): Promise<WaitingOrganization | undefined>
  /** Messages of an organization that are due now, at most `limit`: first those that expire first. */
  dueMessages(due: {
    readonly organizationId: string
    readonly channel: MessageChannel
    readonly nowMs: number
    readonly limit: number
  }): Promise<readonly DueMessage[]>
  /** The endpoints for which events wait, in the order of their organizations, from behind this one on. */
  waitingEndpoints(from: {
    readonly organizationId: string
    readonly endpointId: string
    readonly limit: number
  }): Promise<readonly WaitingEndpoint[]>
  /** The organization behind `happenedIn` of whose events some wait for an endpoint, with when the first is due. */
  nextWebhookSource(from: EndpointSource): Promise<WebhookSource | undefined>
  /** The organization of whose events the most wait for an endpoint, and how many of all wait: `limit` are counted. */
  largestWebhookSource(endpoint: {
    readonly organizationId: string
    readonly endpointId: string
    readonly limit: number
  }): Promise<LargestSource | undefined>
  /** Events of an endpoint that happened there and are due now, at most `limit`: of each activity the earliest only. */
  dueWebhooks(
    due: EndpointSource & {
      readonly nowMs: number
      readonly limit: number
    },
  ): Promise<readonly DueWebhook[]>
  /**
   * The lines with notices that are due, in the order of these times, of organizations and of lines, from behind this one
   * on. A line can stand there several times.
   */
  dueNoticeLines(
    from: NoticeLine & { readonly dueAtMs: number; readonly nowMs: number; readonly limit: number },
  ): Promise<readonly DueNoticeLine[]>
  /** The lines of a mailbox in an organization with notices that are due, at most `limit`. */
  dueLinesOfMailbox(of: {
    readonly organizationId: string
    readonly mailbox: string
    readonly nowMs: number
    readonly limit: number
  }): Promise<readonly NoticeLine[]>
  /** The notices of a line that are due, oldest first. */
  dueNotices(due: NoticeLine & { readonly nowMs: number; readonly limit: number }): Promise<readonly DueNotice[]>
  /** Changes what waits for deliveries. */
  changeQueue(change: QueueChange): Promise<QueueOutcome>
  /** Keeps what a transparency log has new. A checkpoint that is older than the kept one changes nothing. */
  keepLog(log: KeptLog): Promise<void>
  /** The transparency logs of the deployment in the order of their ids, behind `after`: at most `logsMax`. */
  logs(after?: string): Promise<readonly IndexedLog[]>
  /** One of them, or the row of `cosignedIdOf`. */
  log(logId: string): Promise<IndexedLog | undefined>
  /** The entries of a bundle; undefined if it is not there. */
  logBundle(bundle: { readonly logId: string; readonly number: number }): Promise<Uint8Array | undefined>
  /** The roots of bundles from a number on, in order, at most `limit`. */
  bundleRoots(range: {
    readonly logId: string
    readonly from: number
    readonly limit: number
  }): Promise<readonly { readonly number: number; readonly root: Uint8Array }[]>
  /** The next activities of all organizations behind a place, at most `limit`. */
  listedActivities(range: ActivityPlace & { readonly limit: number }): Promise<readonly ListedActivity[]>
  /** Notes where the organizations of a bundle have entries in it. To be called for the bundles of a log in order. */
  indexBundle(bundle: IndexedBundle): Promise<void>
  /** Where an organization has entries in the indexed bundles of a log, from a bundle on, in order. */
  logIndex(range: {
    readonly organization: Uint8Array
    readonly logId: string
    readonly from: number
    readonly limit: number
  }): Promise<readonly Omit<IndexRow, 'organization'>[]>
  /** The wrapped master seed; undefined before the first node stored one. */
  vaultState(): Promise<Uint8Array | undefined>
  /** Stores the state when there is none, and returns the stored one. The first of several nodes wins. */
  initializeVaultState(state: Uint8Array): Promise<Uint8Array>
  /** Tries a read and, after a failed commit, a small durable write, so that a store recovers without traffic. */
  health(): Promise<Health>
  /** Waits for what was already asked; commits asked after it reject. */
  close(): Promise<void>
}

/** A transparency log with its newest checkpoint. `keys`: in ASCII, one a line. */
export type LogRow = {
  readonly logId: string
  readonly origin: string
  readonly keys: Uint8Array
  readonly size: number
  readonly checkpoint: Uint8Array
  /** The hashes of the entries after the last whole bundle. */
  readonly last: Uint8Array
}

/** `indexed`: bundles with lower numbers are in the index. */
export type IndexedLog = LogRow & { readonly indexed: number }

/** The row of the newest checkpoint that a quorum of witnesses has cosigned. It stands beside that of its log. */
export function cosignedIdOf(logId: string): string {
  return `${logId}/cosigned`
}

export type KeptLog = {
  readonly logId: string
  /** Undefined: bundles are stored first. */
  readonly log: LogRow | undefined
  /** Whole ones, and behind them what there is of the last one, without a root. */
  readonly bundles: readonly { readonly number: number; readonly root: Uint8Array; readonly entries: Uint8Array }[]
}

/** `places`: as the table `log_index` has them. */
export type IndexRow = { readonly organization: Uint8Array; readonly number: number; readonly places: Uint8Array }

export type IndexedBundle = { readonly logId: string; readonly number: number; readonly rows: readonly IndexRow[] }

/** The number by which the index names a log: the first 48 bits of its id. It is small, and no other of the few logs has it. */
export function logNumberOf(logId: string): number {
  return Number.parseInt(logId.slice(0, 12), 16)
}

export type DueMessage = MessageAttempt & Pick<OutboxRow, 'expiresAtMs' | 'sealed'>

type EndpointSource = Pick<WebhookRow, 'organizationId' | 'endpointId' | 'happenedIn'>
export type WebhookSource = Pick<WebhookRow, 'happenedIn'> & { readonly dueAtMs: number }
export type LargestSource = Pick<WebhookRow, 'happenedIn'> & { readonly waiting: number }
export type DueWebhook = DueMessage & Pick<WebhookRow, 'endpointId'>

export type NoticeLine = Pick<NoticeRow, 'organizationId' | 'userId'>
/**
 * `familyId`: the parent of the organization, or else the organization itself. `untilMs`: the end of the last turn of the
 * mailbox, if it is known.
 */
export type DueNoticeLine = NoticeLine & {
  readonly familyId: string
  readonly dueAtMs: number
  readonly untilMs: number | null
}
export type DueNotice = Pick<NoticeRow, 'organizationId' | 'messageId' | 'activityId' | 'expiresAtMs' | 'sealed'>

/** Both undefined: the store works. */
export type Health = { readonly readError: Error | undefined; readonly writeError: Error | undefined }

/** The error with which an attempt fails. Undefined: it works. */
export async function errorOf(attempt: () => void | Promise<void>): Promise<Error | undefined> {
  try {
    await attempt()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Logs of a page: far more journals than a deployment has. */
export const logsMax = 1_000

/** Comes after every id. */
export const lastCursor = '~'

/** The longest page that can be asked for. */
export const pageRowsMax = 1000

export function assertPage({ limit, after, before }: Page): void {
  assert(Number.isSafeInteger(limit) && limit >= 1 && limit <= pageRowsMax, `a page of ${limit} rows`)
  assert(after === undefined || before === undefined, 'a page has one cursor at most')
}
