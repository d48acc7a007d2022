import type { Notice } from '../../protocol/wire/notices.ts'
import type { Message, MessageChannel } from '../../protocol/wire/outgoing_messages.ts'
import { messageChannels } from '../../protocol/wire/outgoing_messages.ts'
import type { SignedWebhook } from '../../protocol/wire/webhooks.ts'
import type { Log } from '../process/log.ts'
import type { DueMessage, Store } from '../store/store.ts'
import type { VaultClient } from '../vault/client.ts'
import { attemptOnce } from './attempt.ts'
import type { Carriers, Outcome, Reason } from './carrier.ts'
import { createDeliveryTurns, type Turn } from './delivery_turns.ts'
import { type Delivery, type Hands, inHandMsMax, nextAttemptMs, startWorker } from './worker.ts'

/** Deliveries of one channel at once. Channels do not share them, so a mail server that hangs delays no SMS. */
export const deliveriesMax = 12
/** An organization and its sub-organizations have so many of them, so that one that sends many leaves places to others. */
export const deliveriesOfFamilyMax = 8
/** All sub-organizations of one parent have so many of them, and leave the others to the parent. */
export const deliveriesOfSubOrganizationsMax = 7
/** An attempt is aborted after this. */
const attemptMsMax = 30_000

/** Failures that meet every message of the channel, and not this one alone. */
const failuresOfAll: readonly Reason['reason'][] = [
  ...(['unreachable', 'timeout', 'authentication', 'encryption', 'the vault is away'] as const),
]

type DeliveryParts = {
  readonly store: Pick<Store, 'find' | 'nextMessageOrganization' | 'dueMessages' | 'changeQueue'>
  readonly vault: Pick<VaultClient, 'openMessage'>
  readonly carriers: Carriers
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** For tests. */
  readonly nowMs?: () => number
  readonly attemptMs?: number
  readonly lookMs?: number
}

/**
 * Delivers each message of the outbox at least once. Organizations take turns. In one organization, messages that expire
 * first are sent first, so passcodes do not wait behind invitations. A message is removed after its delivery, so a
 * service that dies in between delivers it again, with the same message id. A failed attempt is repeated after 1 s, then
 * after twice as long each time, up to 5 minutes, until the message expires. The service has the text only during an
 * attempt and logs none.
 */
export function startDelivery(parts: DeliveryParts): Delivery {
  const workers = messageChannels.map((channel) => startChannel(channel, parts))
  return {
    wake() {
      for (const { wake } of workers) wake()
    },
    async close(over) {
      await Promise.all(workers.map(({ close }) => close(over)))
    },
  }
}

function startChannel(channel: MessageChannel, parts: DeliveryParts): Delivery {
  const { store, vault, carriers, log, nowMs = Date.now, attemptMs = attemptMsMax, lookMs } = parts
  /** Whether the last failure was one that meets all messages. Then the log has the line already. */
  let isDown = false
  return startWorker({
    look: createDeliveryTurns({
      atOnceMax: deliveriesMax,
      ofOrganizationMax: deliveriesOfFamilyMax,
      ofFamilyMax: deliveriesOfFamilyMax,
      ofSubOrganizationsMax: deliveriesOfSubOrganizationsMax,
      next: (from) => store.nextMessageOrganization({ ...from, channel, nowMs: nowMs() }),
      takeDue,
    }),
    onError: (error) => log.error({ channel, error }, 'the outbox cannot be read or written'),
    lookMs,
  })

  /** Claims due messages of an organization and starts their deliveries. */
  async function takeDue({ organizationId, limit, owners }: Turn, hands: Hands): Promise<void> {
    const due = await store.dueMessages({ organizationId, channel, nowMs: nowMs(), limit })
    await Promise.all(
      due.map(async (message) => {
        const { messageId, attempts } = message
        const claim = { organizationId, messageId, attempts, dueAtMs: nowMs() + inHandMsMax }
        if ((await store.changeQueue({ queue: 'messages', change: 'claim', ...claim })) === 'conflict') return
        hands.take(deliver(message, hands), owners)
      }),
    )
  }

  async function deliver(message: DueMessage, hands: Hands): Promise<void> {
    const attempt = message.attempts + 1
    const { organizationId, messageId } = message
    const about = { organizationId, messageId, channel, attempt }
    try {
      const outcome = await attemptOnce({ store, vault, hands }, message, (opened) =>
        carry(opened, { messageId, signal: hands.attemptSignal(attemptMs) }),
      )
      if (outcome.kind === 'failed') {
        const dueAtMs = nextAttemptMs({ attempt, expiresAtMs: message.expiresAtMs, nowMs: nowMs() })
        await store.changeQueue({ queue: 'messages', change: 'postpone', organizationId, messageId, dueAtMs })
        const isKnown = isDown
        isDown = failuresOfAll.includes(outcome.reason)
        if (isDown && isKnown) return
        log.warn({ ...about, reason: outcome.reason, code: outcome.code }, 'a message could not be delivered yet')
        return
      }
      await store.changeQueue({ queue: 'messages', change: 'remove', organizationId, messageId })
      if (isDown && (outcome.kind === 'delivered' || outcome.kind === 'refused')) {
        isDown = false
        log.info({ channel }, 'messages reach their server again')
      }
      switch (outcome.kind) {
        case 'delivered':
          return log.info(about, 'a message was delivered')
        case 'expired':
          return log.warn(about, 'a message expired before it could be delivered')
        case 'unwanted':
          return log.info(about, 'nobody wants a message any more: it is dropped')
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

  function carry(message: Message | SignedWebhook | Notice, about: Parameters<Carriers['sms']>[1]): Promise<Outcome> {
    if (message.channel === 'webhook' || message.channel === 'notice') {
      throw new Error('webhooks and notices have tables of their own')
    }
    return message.channel === 'mail' ? carriers.mail(message, about) : carriers.sms(message, about)
  }
}
