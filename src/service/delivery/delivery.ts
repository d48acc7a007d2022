import type { Message, MessageChannel } from '../../protocol/wire/outgoing_messages.ts'
import { messageChannels } from '../../protocol/wire/outgoing_messages.ts'
import type { SignedWebhook } from '../../protocol/wire/webhooks.ts'
import type { Log } from '../log.ts'
import type { DueMessage, Store } from '../store/store.ts'
import { type VaultClient, VaultUnavailable } from '../vault/client.ts'
import { type Carriers, faultOf, type Outcome } from './carrier.ts'

export type Delivery = {
  /** Looks at the outbox now, because a commit wrote to it. */
  wake(): void
  /** Takes no further message and waits for the deliveries in progress. */
  close(): Promise<void>
}

/** Deliveries of one channel at once. Channels do not share them, so a mail server that hangs delays no SMS. */
export const deliveriesMax = 8
/** An attempt is aborted after this. */
const attemptMsMax = 30_000
/** A claimed message is due again after this, because its service may have died; longer than any attempt. */
const inHandMsMax = 60_000
const backoffMsMin = 1_000
const backoffMsMax = 300_000
/** The longest time between two looks at the outbox, which finds messages whose pause is over. */
const lookMsMax = 1_000

type Parts = {
  readonly store: Pick<Store, 'dueMessages' | 'claimMessage' | 'postponeMessage' | 'removeMessage'>
  readonly vault: Pick<VaultClient, 'openMessage'>
  readonly carriers: Carriers
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** For tests. */
  readonly nowMs?: () => number
  readonly attemptMs?: number
  readonly lookMs?: number
}

/**
 * Delivers each message of the outbox at least once. A message is removed after its delivery, so a service that dies in
 * between delivers it again, with the same message id. A failed attempt is repeated after 1 s, then after twice as long
 * each time, up to 5 minutes, until the message expires. The service has the text only during an attempt and logs none.
 */
export function startDelivery(parts: Parts): Delivery {
  const workers = messageChannels.map((channel) => startWorker(channel, parts))
  return {
    wake() {
      for (const { wake } of workers) wake()
    },
    async close() {
      await Promise.all(workers.map(({ close }) => close()))
    },
  }
}

/** The pause after an attempt. The first attempt is number 1. */
export function backoffMs(attempt: number): number {
  return Math.min(backoffMsMin * 2 ** (attempt - 1), backoffMsMax)
}

function startWorker(channel: MessageChannel, parts: Parts) {
  const { store, vault, carriers, log, nowMs = Date.now, attemptMs = attemptMsMax, lookMs = lookMsMax } = parts
  const inHand = new Set<Promise<void>>()
  let woken = Promise.withResolvers<void>()
  let isClosing = false
  const ended = run()

  return {
    wake: () => woken.resolve(),
    close() {
      isClosing = true
      woken.resolve()
      return ended
    },
  }

  async function run(): Promise<void> {
    while (!isClosing) {
      woken = Promise.withResolvers()
      await takeDue().catch((error: unknown) => log.error({ channel, error }, 'the outbox cannot be read or written'))
      const timer = setTimeout(woken.resolve, lookMs)
      if (!isClosing) await woken.promise
      clearTimeout(timer)
    }
    await Promise.all(inHand)
  }

  /** Claims due messages and starts their deliveries, up to `deliveriesMax` at once. */
  async function takeDue(): Promise<void> {
    const limit = deliveriesMax - inHand.size
    if (limit === 0) return
    const due = await store.dueMessages({ channel, nowMs: nowMs(), limit })
    await Promise.all(
      due.map(async (message) => {
        if ((await store.claimMessage(message, { dueAtMs: nowMs() + inHandMsMax })) === 'conflict') return
        const delivered = deliver(message).finally(() => {
          inHand.delete(delivered)
          woken.resolve()
        })
        inHand.add(delivered)
      }),
    )
  }

  async function deliver(message: DueMessage): Promise<void> {
    const attempt = message.attempts + 1
    const about = { organizationId: message.organizationId, messageId: message.messageId, channel, attempt }
    try {
      const outcome = await attemptOnce(message)
      if (outcome.kind === 'failed') {
        const pausedUntilMs = nowMs() + backoffMs(attempt)
        // The last attempt comes at the expiry: the vault then answers `expired`.
        const dueAtMs = Math.min(pausedUntilMs, Math.max(message.expiresAtMs, nowMs() + backoffMsMin))
        await store.postponeMessage(message, { dueAtMs })
        log.warn({ ...about, reason: outcome.reason, code: outcome.code }, 'a message could not be delivered yet')
        return
      }
      await store.removeMessage(message)
      switch (outcome.kind) {
        case 'delivered':
          return log.info(about, 'a message was delivered')
        case 'expired':
          return log.warn(about, 'a message expired before it could be delivered')
        case 'refused':
          return log.warn({ ...about, reason: outcome.reason, code: outcome.code }, 'a message was refused for good')
        case 'integrity':
          return log.error(
            { ...about, incident: outcome.incident },
            'a message is not what the vault sealed: it is dropped',
          )
      }
    } catch (error) {
      log.error({ ...about, error }, 'the outbox cannot be written')
    }
  }

  async function attemptOnce(due: DueMessage): Promise<Outcome | Unopened> {
    const { organizationId, messageId, sealed } = due
    try {
      const opened = await vault.openMessage({ organizationId, messageId, sealed })
      if (opened.kind !== 'message') return opened
      return await carry(opened.message, { messageId, signal: AbortSignal.timeout(attemptMs) })
    } catch (error) {
      if (error instanceof VaultUnavailable) return { kind: 'failed', reason: 'the vault is away' }
      return faultOf(error)
    }
  }

  function carry(message: Message | SignedWebhook, about: Parameters<Carriers['sms']>[1]): Promise<Outcome> {
    if (message.channel === 'webhook') throw new Error('a webhook is in a table of its own')
    return message.channel === 'mail' ? carriers.mail(message, about) : carriers.sms(message, about)
  }
}

export type Unopened = { readonly kind: 'expired' } | { readonly kind: 'integrity'; readonly incident: string }
