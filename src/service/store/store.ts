import type { Commit, Found, NoticeRow, OutboxRow, Read, WebhookRow } from '../../protocol/reads.ts'
import type { MessageChannel } from '../../protocol/wire/outgoing_messages.ts'
import type { ChangeMark } from './change_marks.ts'

/** An organization with messages that are due, and its parent. */
export type WaitingOrganization = { readonly organizationId: string; readonly parentId: string | null }

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
   * The next organization after this id in which messages of a channel are due. `exceptFamily` passes over an
   * organization and its sub-organizations. It is empty for none.
   */
  nextMessageOrganization(from: {
    readonly channel: MessageChannel
    readonly after: string
    readonly exceptFamily: string
    readonly nowMs: number
  }): Promise<WaitingOrganization | undefined>
  /** Messages of an organization that are due now, at most `limit`: first those that expire first. */
  dueMessages(due: {
    readonly organizationId: string
    readonly channel: MessageChannel
    readonly nowMs: number
    readonly limit: number
  }): Promise<readonly DueMessage[]>
  /**
   * Counts an attempt and takes the message until `dueAtMs`. Then the message is due again, because the service that
   * took it may have died. `conflict`: another service has taken the message, or it is gone.
   */
  claimMessage(message: MessageAttempt, until: { readonly dueAtMs: number }): Promise<'committed' | 'conflict'>
  /** Makes a message due later, or earlier. */
  postponeMessage(message: MessageId, until: { readonly dueAtMs: number }): Promise<void>
  /** Removes a message that was delivered, has expired or was refused for good. */
  removeMessage(message: MessageId): Promise<void>
  /** The next organization after this id in which events for webhooks are due, as `nextMessageOrganization`. */
  nextWebhookOrganization(from: {
    readonly after: string
    readonly exceptFamily: string
    readonly nowMs: number
  }): Promise<WaitingOrganization | undefined>
  /** Events of an organization's endpoints that are due now, at most `limit`: of each activity the earliest only. */
  dueWebhooks(due: {
    readonly organizationId: string
    /** The endpoints that are left out. */
    readonly exceptEndpointIds: readonly string[]
    readonly nowMs: number
    readonly limit: number
  }): Promise<readonly DueWebhook[]>
  /** `conflict`: the event was taken by another service, or it is gone. Only `claim` can conflict. */
  changeWebhook(change: WebhookChange): Promise<'committed' | 'conflict'>
  /** Users with notices that are due, and to whom no mail was sent lately. A user can stand there several times. */
  dueNoticeUsers(due: { readonly nowMs: number; readonly limit: number }): Promise<readonly DueNoticeUser[]>
  /** The notices of a user that are due, oldest first. */
  dueNotices(due: NoticeUser & { readonly nowMs: number; readonly limit: number }): Promise<readonly DueNotice[]>
  /** `conflict`: another service has the turn. Only `take` and `takeMailbox` can conflict. */
  changeNotices(change: NoticeChange): Promise<'committed' | 'conflict'>
  /** The wrapped master seed; undefined before the first node stored one. */
  vaultState(): Promise<Uint8Array | undefined>
  /** Stores the state when there is none, and returns the stored one. The first of several nodes wins. */
  initializeVaultState(state: Uint8Array): Promise<Uint8Array>
  /** Tries a read and, after a failed commit, a small durable write, so that a store recovers without traffic. */
  health(): Promise<Health>
  /** Waits for what was already asked; commits asked after it reject. */
  close(): Promise<void>
}

export type MessageId = Pick<OutboxRow, 'organizationId' | 'messageId'>

/** `attempts`: how many deliveries of it have begun. */
export type MessageAttempt = MessageId & { readonly attempts: number }
export type DueMessage = MessageAttempt & Pick<OutboxRow, 'expiresAtMs' | 'sealed'>

export type DueWebhook = DueMessage & Pick<WebhookRow, 'endpointId'>

type EndpointName = Pick<WebhookRow, 'organizationId' | 'endpointId'>

/** What deliveries do to events. */
export type WebhookChange =
  /** As `claimMessage`. */
  | ({ readonly change: 'claim'; readonly dueAtMs: number } & MessageAttempt)
  | ({ readonly change: 'postpone'; readonly dueAtMs: number; readonly reason: string } & MessageId)
  /** All events of an endpoint that would be due before are due then, a millisecond later for each of their attempts. */
  | ({ readonly change: 'hold'; readonly untilMs: number; readonly reason: string } & EndpointName)
  /** Those that are due within this time are due at `dueAtMs`. */
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
  /** Of the events that were given up, the newest are kept. */
  | ({ readonly change: 'trim'; readonly kept: number } & EndpointName)
  /** The endpoint is gone. */
  | ({ readonly change: 'drop' } & EndpointName)
  | { readonly change: 'expire'; readonly endedBeforeMs: number }

export type NoticeUser = Pick<NoticeRow, 'organizationId' | 'userId'>
/** `familyId`: the parent of the organization, or else the organization itself. */
export type DueNoticeUser = NoticeUser & { readonly familyId: string }
export type DueNotice = Pick<NoticeRow, 'organizationId' | 'messageId' | 'activityId' | 'expiresAtMs' | 'sealed'>

/** The changes that deliveries make to notices. */
export type NoticeChange =
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

/** Both undefined: the store works. */
export type Health = { readonly readError: Error | undefined; readonly writeError: Error | undefined }

/** Comes after every id. */
export const lastCursor = '~'

/** The longest page that can be asked for. */
export const pageRowsMax = 1000
