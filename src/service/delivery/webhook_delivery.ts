import { type SignedWebhook, webhookFeatureName } from '../../protocol/wire/webhooks.ts'
import type { Log } from '../log.ts'
import type { DueWebhook, Store } from '../store/store.ts'
import type { VaultClient } from '../vault/client.ts'
import { attemptOnce } from './attempt.ts'
import type { Carrier, Reason } from './carrier.ts'
import { createTurns, type Turn } from './turns.ts'
import { type Delivery, type Hands, inHandMsMax, nextAttemptMs, startWorker } from './worker.ts'

/** Deliveries of webhooks at once. Mail and SMS have their own, so slow receivers do not delay them. */
export const webhooksAtOnceMax = 32
/** Deliveries of one organization at once, so that its slow receivers do not delay those of others. */
export const webhooksOfOrganizationMax = 4
/** Deliveries of one organization and its sub-organizations at once. It may make many sub-organizations. */
export const webhooksOfFamilyMax = 16
const attemptMsMax = 10_000
/** The newest events of an endpoint that were given up are kept, and for this long. */
export const givenUpMax = 1_000
export const givenUpMsMax = 7 * 24 * 60 * 60 * 1000
const sweepMsMax = 60 * 60 * 1000

type Parts = {
  readonly store: Pick<Store, 'nextWebhookOrganization' | 'dueWebhooks' | 'changeWebhook' | 'find'>
  readonly vault: Pick<VaultClient, 'openMessage'>
  readonly carry: Carrier<SignedWebhook>
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** For tests. */
  readonly nowMs?: () => number
  readonly attemptMs?: number
  readonly lookMs?: number
  readonly givenUpKept?: number
}

/**
 * Delivers each event at least once, and those about one activity in order. A failed attempt is repeated as that of a
 * mail, until the event expires. An event that is refused or expires is kept for a while, to be listed and replayed.
 * Events of an endpoint that is gone are dropped.
 */
export function startWebhookDelivery(parts: Parts): Delivery {
  const { store, vault, carry, log, nowMs = Date.now, attemptMs = attemptMsMax, lookMs } = parts
  const { givenUpKept = givenUpMax } = parts
  let sweptAtMs = Number.NEGATIVE_INFINITY
  const takeTurns = createTurns({
    atOnceMax: webhooksAtOnceMax,
    ofOrganizationMax: webhooksOfOrganizationMax,
    ofFamilyMax: webhooksOfFamilyMax,
    next: (from) => store.nextWebhookOrganization({ ...from, nowMs: nowMs() }),
    takeDue,
  })
  return startWorker({
    look,
    onError: (error) => log.error({ channel: 'webhook', error }, 'the events cannot be read'),
    lookMs,
  })

  async function look(hands: Hands): Promise<void> {
    await sweep()
    await takeTurns(hands)
  }

  async function takeDue({ organizationId, limit, owners }: Turn, hands: Hands): Promise<void> {
    for (const event of await store.dueWebhooks({ organizationId, nowMs: nowMs(), limit })) {
      const dueAtMs = nowMs() + inHandMsMax
      if ((await store.changeWebhook({ change: 'claim', ...idOf(event), dueAtMs })) === 'conflict') continue
      hands.take(deliver(event), owners)
    }
  }

  async function deliver(event: DueWebhook): Promise<void> {
    const { organizationId, messageId, endpointId } = event
    const attempt = event.attempts + 1
    const about = { organizationId, messageId, endpointId, attempt }
    try {
      if (await isOfNobody(event)) {
        await store.changeWebhook({ change: 'drop', organizationId, endpointId })
        return log.info(about, 'the events of an endpoint that is gone were dropped')
      }
      const outcome = await attemptOnce(vault, event, (opened) => {
        if (opened.channel !== 'webhook') throw new Error('a message to a person is among the events')
        return carry(opened, { messageId, signal: AbortSignal.timeout(attemptMs) })
      })
      switch (outcome.kind) {
        case 'delivered':
          await store.changeWebhook({ change: 'remove', organizationId, messageId })
          return log.info(about, 'an event was delivered')
        case 'failed':
          await postpone(event, outcome, attempt)
          return log.warn({ ...about, ...reasonOf(outcome) }, 'an event could not be delivered yet')
        case 'refused':
          await giveUp(event, textOf(outcome))
          return log.warn({ ...about, ...reasonOf(outcome) }, 'an event was refused for good')
        case 'expired':
          await giveUp(event, 'expired')
          return log.warn(about, 'an event expired before it could be delivered')
        case 'integrity':
          await store.changeWebhook({ change: 'remove', organizationId, messageId })
          return log.error(
            { ...about, incident: outcome.incident },
            'an event is not what the vault sealed: it is dropped',
          )
      }
    } catch (error) {
      log.error({ ...about, error }, 'the events cannot be written')
    }
  }

  /** Whether the endpoint was deleted, or switched off where it is a feature. */
  async function isOfNobody({ organizationId, endpointId }: DueWebhook): Promise<boolean> {
    const kind = endpointId === webhookFeatureName ? 'feature' : 'webhook_endpoint'
    const [found] = await store.find([{ read: 'record', organizationId, kind, recordId: endpointId }])
    return found?.read === 'record' && found.row === undefined
  }

  async function postpone({ organizationId, messageId, expiresAtMs }: DueWebhook, failure: Reason, attempt: number) {
    const dueAtMs = nextAttemptMs({ attempt, expiresAtMs, nowMs: nowMs() })
    await store.changeWebhook({ change: 'postpone', organizationId, messageId, dueAtMs, reason: textOf(failure) })
  }

  async function giveUp({ organizationId, messageId, endpointId }: DueWebhook, reason: string): Promise<void> {
    await store.changeWebhook({ change: 'end', organizationId, messageId, endedAtMs: nowMs(), reason })
    await store.changeWebhook({ change: 'trim', organizationId, endpointId, kept: givenUpKept })
  }

  async function sweep(): Promise<void> {
    if (nowMs() - sweptAtMs < sweepMsMax) return
    sweptAtMs = nowMs()
    await store.changeWebhook({ change: 'expire', endedBeforeMs: nowMs() - givenUpMsMax })
  }
}

function idOf({ organizationId, messageId, attempts }: DueWebhook) {
  return { organizationId, messageId, attempts }
}

function reasonOf({ reason, code }: Reason) {
  return { reason, code }
}

/** For the list of deliveries: words of `Reason` and a code. */
function textOf({ reason, code }: Reason): string {
  return code === undefined ? reason : `${reason} (${code})`
}
