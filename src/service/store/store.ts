import type { Commit, Found, OutboxRow, Read } from '../../protocol/reads.ts'
import type { MessageChannel } from '../../protocol/wire/outgoing_messages.ts'

/**
 * All that the service asks of a database. Nothing here knows a dialect. SQLite implements it, for one machine.
 */
export type Store = {
  /**
   * Looks everything up in one snapshot, answers in the order of the reads. The cursor of a list of activities may be
   * any activity of the organization, since a status changes while a client turns pages.
   */
  find(reads: readonly Read[]): Promise<readonly Found[]>
  /**
   * `committed`: all of it is on disk. `conflict`: the read set no longer holds, or another commit took the same unique
   * place; nothing was written. Rejects when it could not be written, or the database has another schema than the service
   * made; nothing of it is then visible.
   */
  commit(commit: Commit): Promise<'committed' | 'conflict'>
  /** Messages of one channel that are to be delivered now, at most `limit`; taking one is `claimMessage`. */
  dueMessages(due: {
    readonly channel: MessageChannel
    readonly nowMs: number
    readonly limit: number
  }): Promise<readonly DueMessage[]>
  /**
   * Counts an attempt and takes the message until `dueAtMs`, when it is due again for whoever looks: whoever has it in
   * hand may have died. `conflict`: another one has taken it, or it is gone.
   */
  claimMessage(message: MessageAttempt, until: { readonly dueAtMs: number }): Promise<'committed' | 'conflict'>
  /** Makes a message due later, or earlier. */
  postponeMessage(message: MessageId, until: { readonly dueAtMs: number }): Promise<void>
  /** Delivered, expired or refused for good. */
  removeMessage(message: MessageId): Promise<void>
  /** The wrapped master seed; undefined before the first node stored one. */
  vaultState(): Promise<Uint8Array | undefined>
  /** Stores the state when there is none, and returns the one that is stored: of several nodes, one wins. */
  initializeVaultState(state: Uint8Array): Promise<Uint8Array>
  /** Reads, and when the last commit failed tries a small durable write, so that a store recovers without traffic. */
  health(): Promise<Health>
  /** Waits for what was already asked; commits asked after it reject. */
  close(): Promise<void>
}

export type MessageId = Pick<OutboxRow, 'organizationId' | 'messageId'>

/** `attempts`: how often its delivery was begun so far. */
export type MessageAttempt = MessageId & { readonly attempts: number }
export type DueMessage = MessageAttempt & Pick<OutboxRow, 'expiresAtMs' | 'sealed'>

/** Undefined twice: the store works. */
export type Health = { readonly readError: Error | undefined; readonly writeError: Error | undefined }

/** The longest page that can be asked for. */
export const pageRowsMax = 1000
