import type { OutboxRow, WebhookRow } from '../../protocol/reads.ts'
import type { noticeWriteQueries } from './notice_queries.ts'
import type { Query } from './query.ts'
import type { webhookWriteQueries } from './webhook_queries.ts'
import type { messageWriteQueries } from './write_queries.ts'

export type MessageId = Pick<OutboxRow, 'organizationId' | 'messageId'>
/** `attempts`: how many deliveries of it have begun. */
export type MessageAttempt = MessageId & { readonly attempts: number }
type EndpointName = Pick<WebhookRow, 'organizationId' | 'endpointId'>

/**
 * `conflict`: another service has the turn, or has taken what was to be claimed. `more`: a portion is done, and there may
 * be another one. Commits come in between.
 */
export type QueueOutcome = 'committed' | 'conflict' | 'more'

/** The changes that deliveries make to what waits for them. */
export type QueueChange =
  | ({ readonly queue: 'messages' } & MessageChange)
  | ({ readonly queue: 'webhooks' } & WebhookChange)
  | ({ readonly queue: 'notices' } & NoticeChange)

/**
 * Counts an attempt and takes what waits until `dueAtMs`. Then it is due again, because the service that took it may
 * have died. Conflicts if another service has taken it, or it is gone.
 */
type Claim = { readonly change: 'claim'; readonly dueAtMs: number } & MessageAttempt

/** To mails and SMS. */
type MessageChange =
  | Claim
  /** It is due later, or earlier. */
  | ({ readonly change: 'postpone'; readonly dueAtMs: number } & MessageId)
  /** It was delivered, has expired or was refused for good. */
  | ({ readonly change: 'remove' } & MessageId)

/** To events for webhook endpoints. */
export type WebhookChange =
  | Claim
  | ({ readonly change: 'postpone'; readonly dueAtMs: number; readonly reason: string } & MessageId)
  /** It was delivered. */
  | ({ readonly change: 'remove' } & MessageId)
  /** The delivery is given up. The event can be listed and replayed. */
  | ({ readonly change: 'end'; readonly endedAtMs: number; readonly reason: string } & MessageId)
  /** Gives up the oldest events of a source that wait, so many of them or a portion. */
  | ({
      readonly change: 'bound'
      readonly happenedIn: string
      readonly count: number
      readonly endedAtMs: number
      readonly reason: string
    } & EndpointName)
  /** The newest of the events that were given up are kept, and a portion of the others removed. */
  | ({ readonly change: 'trim'; readonly kept: number } & EndpointName)
  /** The endpoint is gone: a portion of its events is removed. */
  | ({ readonly change: 'drop' } & EndpointName)
  /** Removes a portion of what was given up before. */
  | { readonly change: 'expire'; readonly endedBeforeMs: number }

/** A mailbox within an organization with its sub-organizations. `mailbox` is what `mailboxOfLine` says. */
export type NoticeMailbox = { readonly familyId: string; readonly mailbox: string }

/** To notices for users. */
type NoticeChange =
  /** Takes the turn of a mailbox, in which only this service sends a mail. Conflicts if another service has it. */
  | ({ readonly change: 'take'; readonly nowMs: number; readonly untilMs: number } & NoticeMailbox)
  | ({ readonly change: 'remove' } & MessageId)
  /** Gives back a turn in which nothing was sent. `untilMs` is its end. */
  | ({ readonly change: 'giveBack'; readonly untilMs: number } & NoticeMailbox)
  /** Removes a portion of the turns that are over. */
  | { readonly change: 'sweep'; readonly nowMs: number }

/** The changes of events that are made in portions. */
export type WebhookPortion = Extract<WebhookChange, { readonly change: 'bound' | 'trim' | 'drop' | 'expire' }>

type Queries = typeof messageWriteQueries & typeof webhookWriteQueries & typeof noticeWriteQueries
type Name = keyof Queries
export type QueueValues = { readonly [N in Name]: Queries[N] extends Query<infer Values, unknown> ? Values : never }

/** One statement of a change. */
export type QueueStep<N extends Name = Name> = {
  readonly [K in N]: {
    readonly statement: K
    readonly values: QueueValues[K]
    /** The change conflicts, and goes no further, unless the statement changes one row. */
    readonly isClaim?: true
    /** It changes a bounded number of rows. While it changes any, there may be more. */
    readonly isPortion?: true
  }
}[N]

/** The statements that take the values of a change. */
type Taking<Change> = { readonly [N in Name]: Change extends QueueValues[N] ? N : never }[Name]

type Table<Change extends { readonly change: string }> = {
  readonly [C in Change['change']]: readonly Taking<Extract<Change, { readonly change: C }>>[]
}

/** The statements of each change, in their order. */
const statements = {
  messages: { claim: ['claimMessage'], postpone: ['postponeMessage'], remove: ['deleteMessage'] },
  webhooks: {
    claim: ['claimWebhook'],
    postpone: ['postponeWebhook'],
    remove: ['deleteWebhook'],
    end: ['endWebhook'],
    bound: ['endOldestWebhooks'],
    trim: ['trimWebhooks'],
    drop: ['deleteWaitingWebhooks', 'deleteGivenUpWebhooks'],
    expire: ['deleteOldWebhooks'],
  },
  notices: {
    take: ['insertNoticeTurn'],
    remove: ['deleteNotice'],
    giveBack: ['deleteNoticeTurn'],
    sweep: ['deleteOldTurns'],
  },
} as const satisfies {
  readonly messages: Table<MessageChange>
  readonly webhooks: Table<WebhookChange>
  readonly notices: Table<NoticeChange>
}

const claims: readonly Name[] = ['claimMessage', 'claimWebhook', 'insertNoticeTurn']
const portions: readonly Name[] = [
  'endOldestWebhooks',
  'trimWebhooks',
  'deleteWaitingWebhooks',
  'deleteGivenUpWebhooks',
  'deleteOldWebhooks',
  'deleteOldTurns',
]

export function stepsOf(change: QueueChange): readonly QueueStep[] {
  const table: Readonly<Record<string, readonly Name[]>> = statements[change.queue]
  return (table[change.change] ?? []).map((statement) => {
    // The table above has only statements that take the values of the change.
    return { statement, values: change, ...kindOf(statement) } as QueueStep
  })
}

function kindOf(statement: Name) {
  if (claims.includes(statement)) return { isClaim: true }
  return portions.includes(statement) ? { isPortion: true } : {}
}
