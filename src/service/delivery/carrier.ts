import { codeOf } from '../../protocol/tools/error_codes.ts'
import type { Message, MessageChannel } from '../../protocol/wire/outgoing_messages.ts'
import type { SignedWebhook } from '../../protocol/wire/webhooks.ts'

/** Delivers messages of one channel. A failure of a server or of the network is an outcome; it throws for none. */
export type Carrier<M extends Message | SignedWebhook> = (
  message: M,
  about: {
    /** The same at every attempt, so that a receiver can tell a repeated message. */
    readonly messageId: string
    /** Aborted when the attempt takes too long. */
    readonly signal: AbortSignal
    /** Called when the attempt has waited for others here for so long that a timeout says nothing of the receiver. */
    readonly onLate?: (() => void) | undefined
  },
) => Promise<Outcome>

export type Carriers = { readonly [C in MessageChannel]: Carrier<Extract<Message, { readonly channel: C }>> }

/** `refused`: another attempt would be refused too. `failed`: another attempt may succeed. */
export type Outcome =
  | { readonly kind: 'delivered' }
  | ({ readonly kind: 'refused' } & Reason)
  | ({ readonly kind: 'failed' } & Reason)

/**
 * The log's words for a failure, from this list, and a code. Answers of servers are left out: they repeat addresses,
 * and may repeat the message.
 */
export type Reason = {
  readonly reason:
    | 'refused'
    | 'refused for now'
    | 'authentication'
    | 'encryption'
    | 'unreachable'
    | 'private address'
    | 'expired'
    | 'timeout'
    | 'the vault is away'
    | 'interrupted'
    | 'fault'
  /** An SMTP reply or HTTP status, or the name of a system error such as `ECONNREFUSED`. */
  readonly code?: number | string
}

/** Another receiver has ended or delayed the attempt, which says nothing of its own. */
export const interrupted: Outcome = { kind: 'failed', reason: 'interrupted' }

/** Keeps only the code of an error, because its text may repeat the message. */
export function faultOf(error: unknown): Outcome {
  return { kind: 'failed', ...withCode('fault', codeOf(error)) }
}

/** Keeps `code` only when it is the name of a system error, which no server chooses. */
export function withCode(reason: Reason['reason'], code: unknown): Reason {
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? { reason, code } : { reason }
}
