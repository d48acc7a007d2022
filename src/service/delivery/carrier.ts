import type { Message, MessageChannel } from '../../protocol/wire/outgoing_messages.ts'

/** Brings messages of one channel to where people read them. It does not throw for what a server or the network does. */
export type Carrier<M extends Message> = (
  message: M,
  about: {
    /** The same at every attempt, so that whoever receives it twice can tell. */
    readonly messageId: string
    /** Aborted when the attempt takes too long. */
    readonly signal: AbortSignal
  },
) => Promise<Outcome>

export type Carriers = { readonly [C in MessageChannel]: Carrier<Extract<Message, { readonly channel: C }>> }

/** `refused`: for good, another attempt would be refused too. `failed`: another attempt may succeed. */
export type Outcome =
  | { readonly kind: 'delivered' }
  | ({ readonly kind: 'refused' } & Reason)
  | ({ readonly kind: 'failed' } & Reason)

/**
 * What the log says of a failure. Words of this list and codes only: what servers answer repeats addresses, and may
 * repeat what was sent.
 */
export type Reason = {
  readonly reason:
    | 'refused'
    | 'refused for now'
    | 'authentication'
    | 'encryption'
    | 'unreachable'
    | 'timeout'
    | 'the vault is away'
    | 'fault'
  /** An SMTP reply or HTTP status, or the name of a system error such as `ECONNREFUSED`. */
  readonly code?: number | string
}

/** Of what was thrown the code only: its text may repeat what was being sent. */
export function faultOf(error: unknown): Outcome {
  return { kind: 'failed', ...withCode('fault', error instanceof Error && 'code' in error && error.code) }
}

/** `code` when it is the name of a system error, and so nothing that a server chose. */
export function withCode(reason: Reason['reason'], code: unknown): Reason {
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? { reason, code } : { reason }
}
