import type { NoticeRow, OutboxRow, WebhookRow } from '../../protocol/reads.ts'
import type { noticeWriteQueries } from './notice_queries.ts'
import type { Query } from './query.ts'
import type { webhookWriteQueries } from './webhook_queries.ts'
import type { messageWriteQueries } from './write_queries.ts'

export type MessageId = Pick<OutboxRow, 'organizationId' | 'messageId'>
/** `attempts`: how many deliveries of it have begun. */
export type MessageAttempt = MessageId & { readonly attempts: number }
export type NoticeUser = Pick<NoticeRow, 'organizationId' | 'userId'>
type EndpointName = Pick<WebhookRow, 'organizationId' | 'endpointId'>

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
  /** All events of an endpoint that would be due before are due then, a millisecond later for each of their attempts. */
  | ({ readonly change: 'hold'; readonly untilMs: number; readonly reason: string } & EndpointName)
  /** Events that are due within this time are due at `dueAtMs`. */
  | ({
      readonly change: 'release'
      readonly fromMs: number
      readonly toMs: number
      readonly dueAtMs: number
    } & EndpointName)
  /** It was delivered. */
  | ({ readonly change: 'remove' } & MessageId)
  /** The delivery is given up. The event can be listed and replayed. */
  | ({ readonly change: 'end'; readonly endedAtMs: number; readonly reason: string } & MessageId)
  /** The newest of the events that were given up are kept, and the others removed. */
  | ({ readonly change: 'trim'; readonly kept: number } & EndpointName)
  /** The endpoint is gone. */
  | ({ readonly change: 'drop' } & EndpointName)
  | { readonly change: 'expire'; readonly endedBeforeMs: number }

/** To notices for users. `take` and `takeMailbox` conflict if another service has the turn. */
type NoticeChange =
  /**
   * Takes the turn of a user, in which only this service sends a mail. Notices that are due are due again at its end.
   * The newest notices of the user are kept.
   */
  | ({ readonly change: 'take'; readonly nowMs: number; readonly untilMs: number; readonly kept: number } & NoticeUser)
  /** Takes the turn of a mailbox within a family: several users may have it. `mailbox` is a digest. */
  | {
      readonly change: 'takeMailbox'
      readonly familyId: string
      readonly mailbox: string
      readonly nowMs: number
      readonly untilMs: number
    }
  | ({ readonly change: 'remove' } & MessageId)
  /** Gives back a turn in which nothing was sent and no notice is left. `untilMs` is its end. */
  | ({ readonly change: 'giveBack'; readonly untilMs: number } & NoticeUser)
  /** Removes turns that are over. */
  | { readonly change: 'sweep'; readonly nowMs: number }

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
  }
}[N]

/** The statements of a change, in their order. */
export function stepsOf(change: QueueChange): readonly QueueStep[] {
  switch (change.queue) {
    case 'messages':
      return messageSteps(change)
    case 'webhooks':
      return webhookSteps(change)
    case 'notices':
      return noticeSteps(change)
  }
}

function messageSteps(values: MessageChange): readonly QueueStep[] {
  switch (values.change) {
    case 'claim':
      return [{ statement: 'claimMessage', values, isClaim: true }]
    case 'postpone':
      return [{ statement: 'postponeMessage', values }]
    case 'remove':
      return [{ statement: 'deleteMessage', values }]
  }
}

function webhookSteps(values: WebhookChange): readonly QueueStep[] {
  switch (values.change) {
    case 'claim':
      return [{ statement: 'claimWebhook', values, isClaim: true }]
    case 'postpone':
      return [{ statement: 'postponeWebhook', values }]
    case 'hold':
      return [{ statement: 'holdWebhooks', values }]
    case 'release':
      return [{ statement: 'releaseWebhooks', values }]
    case 'remove':
      return [{ statement: 'deleteWebhook', values }]
    case 'end':
      return [{ statement: 'endWebhook', values }]
    case 'trim':
      return [{ statement: 'trimWebhooks', values }]
    case 'drop':
      return [
        { statement: 'deleteWaitingWebhooks', values },
        { statement: 'deleteGivenUpWebhooks', values },
      ]
    case 'expire':
      return [{ statement: 'deleteOldWebhooks', values }]
  }
}

function noticeSteps(values: NoticeChange): readonly QueueStep[] {
  switch (values.change) {
    case 'take':
      return [
        { statement: 'insertNoticeTurn', values, isClaim: true },
        { statement: 'trimNotices', values },
        { statement: 'postponeNotices', values },
      ]
    case 'takeMailbox': {
      // Turns of mailboxes stand among those of users. No id of a user is a digest.
      const { familyId: organizationId, mailbox: userId, nowMs, untilMs } = values
      const turn = { organizationId, userId, nowMs, untilMs }
      return [{ statement: 'insertNoticeTurn', values: turn, isClaim: true }]
    }
    case 'remove':
      return [{ statement: 'deleteNotice', values }]
    case 'giveBack':
      return [{ statement: 'deleteNoticeTurn', values }]
    case 'sweep':
      return [{ statement: 'deleteOldTurns', values }]
  }
}
