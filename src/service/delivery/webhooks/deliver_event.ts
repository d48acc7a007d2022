import { webhookFeatureName } from '../../../protocol/wire/webhooks.ts'
import type { Log } from '../../process/log.ts'
import type { DueWebhook, Store } from '../../store/store.ts'
import { attemptOnce, type Opening, type Unopened } from '../attempt.ts'
import { type Carrier, interrupted, type Outcome, type Reason } from '../carrier.ts'
import { type Hands, nextAttemptMs } from '../worker.ts'
import { type EndpointTroubles, quickMsMax } from './endpoint_troubles.ts'
import type { EventQueue } from './event_queue.ts'
import type { SentWebhook } from './webhook_carrier.ts'

export type EventDelivery = {
  readonly queue: EventQueue
  readonly store: Pick<Store, 'find'>
  readonly vault: Opening['vault']
  readonly carry: Carrier<SentWebhook>
  readonly troubles: EndpointTroubles
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly nowMs: () => number
  readonly attemptMs: number
}

/**
 * `familyId`: of the organization of the endpoint. `isTurn`: the turn of an endpoint that fails. `onSlow` is called once
 * the receiver has taken its time.
 */
export type EventAttempt = {
  readonly event: DueWebhook
  readonly familyId: string
  readonly isTurn: boolean
  readonly hands: Hands
  readonly onSlow: () => void
}

/** Tries once to deliver an event that was claimed, and writes to the queue what became of it. Never rejects. */
export async function deliverEvent(delivery: EventDelivery, attempt: EventAttempt): Promise<void> {
  const { event } = attempt
  try {
    if (await isOfNobody(delivery, event)) await dropAll(delivery, event)
    else await settle(delivery, attempt, await send(delivery, attempt))
  } catch (error) {
    delivery.log.error({ ...aboutEvent(event), error }, 'the events cannot be written')
  }
}

/** Whether the endpoint was deleted, or switched off where it is a feature. */
async function isOfNobody({ store }: EventDelivery, { organizationId, endpointId }: DueWebhook): Promise<boolean> {
  const kind = endpointId === webhookFeatureName ? 'feature' : 'webhook_endpoint'
  const [found] = await store.find([{ read: 'record', organizationId, kind, recordId: endpointId }])
  return found?.read === 'record' && found.row === undefined
}

/** Looks each time whether the endpoint is gone: a feature has the same id when it is set again. */
async function dropAll(delivery: EventDelivery, event: DueWebhook): Promise<void> {
  delivery.troubles.forget(event)
  let isMore = true
  while (isMore && (await isOfNobody(delivery, event))) isMore = await delivery.queue.dropPortion(event)
  delivery.log.info(aboutEvent(event), 'the events of an endpoint that is gone were dropped')
}

function send(
  { store, vault, carry, troubles, attemptMs }: EventDelivery,
  { event, familyId, hands, onSlow }: EventAttempt,
): Promise<Outcome | Unopened> {
  return attemptOnce({ store, vault, hands }, event, (opened) => {
    if (opened.channel !== 'webhook') throw new Error('a message to a person is among the events')
    const noteSlow = () => {
      troubles.slow(event)
      onSlow()
    }
    const { organizationId, messageId } = event
    const about = { messageId, signal: hands.attemptSignal(attemptMs) }
    const carried = carryOrInterrupt(carry, { ...opened, organizationId, familyId }, about)
    return timed(carried, { onQuick: () => troubles.quick(event), onSlow: noteSlow })
  })
}

/** An attempt that times out after it has waited for others has not failed. */
async function carryOrInterrupt(
  carry: EventDelivery['carry'],
  webhook: SentWebhook,
  about: Pick<Parameters<EventDelivery['carry']>[1], 'messageId' | 'signal'>,
): Promise<Outcome> {
  let isLate = false
  const onLate = () => {
    isLate = true
  }
  const outcome = await carry(webhook, { ...about, onLate })
  return isLate && outcome.kind === 'failed' && outcome.reason === 'timeout' ? interrupted : outcome
}

/** Says of an attempt how long it takes, as soon as that is known. The time that the vault needed is none of it. */
async function timed(
  carried: Promise<Outcome>,
  { onQuick, onSlow }: { readonly onQuick: () => void; readonly onSlow: () => void },
): Promise<Outcome> {
  let isSlow = false
  const timer = setTimeout(() => {
    isSlow = true
    onSlow()
  }, quickMsMax)
  try {
    return await carried
  } finally {
    clearTimeout(timer)
    if (!isSlow) onQuick()
  }
}

/** The log has a line when the endpoint begins to refuse events, or to take them again, and none for each event. */
async function settle(delivery: EventDelivery, attempt: EventAttempt, outcome: Outcome | Unopened): Promise<void> {
  const { queue, troubles, log, nowMs } = delivery
  const { event, isTurn } = attempt
  const about = aboutEvent(event)
  switch (outcome.kind) {
    case 'delivered':
      await queue.remove(event)
      if (troubles.forget(event).isChange) log.info(about, 'an endpoint takes events again')
      return log.info(about, 'an event was delivered')
    case 'failed':
      return postpone(delivery, attempt, outcome)
    case 'refused':
      await queue.giveUp(event, { reason: textOf(outcome), nowMs: nowMs() })
      if (!troubles.refuse(event).isChange) return
      return log.warn({ ...about, ...reasonOf(outcome) }, 'an endpoint refuses events: they are given up')
    case 'expired':
      await queue.giveUp(event, { reason: 'expired', nowMs: nowMs() })
      if (!troubles.expire(event, nowMs()).isChange) return
      return log.warn(about, 'events of an endpoint have expired: they are given up')
    case 'unwanted':
    case 'integrity': {
      await queue.remove(event)
      if (isTurn) troubles.giveBack(event, nowMs())
      if (outcome.kind === 'unwanted')
        return log.info(about, 'an event for an endpoint that is switched off was dropped')
      const { incident } = outcome
      return log.error({ ...about, incident }, 'an event is not what the vault sealed: it is dropped')
    }
  }
}

/** The log has a line when the endpoint begins to fail, and none for each event. */
async function postpone(delivery: EventDelivery, { event, isTurn }: EventAttempt, failure: Reason): Promise<void> {
  const { queue, troubles, log } = delivery
  const { expiresAtMs } = event
  const nowMs = delivery.nowMs()
  const about = aboutEvent(event)
  const reason = textOf(failure)
  const ownDueAtMs = nextAttemptMs({ attempt: about.attempt, expiresAtMs, nowMs })
  // Another receiver may have ended what was sent beside it, or kept it waiting.
  if (failure.reason === 'interrupted') {
    await queue.postpone(event, { dueAtMs: nextAttemptMs({ attempt: 1, expiresAtMs, nowMs }), reason })
    if (isTurn) troubles.giveBack(event, delivery.nowMs())
    return
  }
  // A vault that is away says nothing about the endpoint. The log tells of it elsewhere.
  if (failure.reason === 'the vault is away') return queue.postpone(event, { dueAtMs: ownDueAtMs, reason })
  const { isChange, nextTurnMs } = troubles.fail(event, { isTurn, nowMs })
  // Behind the others, so that one event that an endpoint never takes does not keep back those that it does.
  await queue.postpone(event, { dueAtMs: Math.max(ownDueAtMs, nextTurnMs + about.attempt), reason })
  if (isChange) log.warn({ ...about, ...reasonOf(failure) }, 'an endpoint takes no events: they wait')
}

function aboutEvent({ organizationId, messageId, endpointId, attempts }: DueWebhook) {
  return { organizationId, messageId, endpointId, attempt: attempts + 1 }
}

function reasonOf({ reason, code }: Reason) {
  return { reason, code }
}

/** For the list of deliveries: words of `Reason` and a code. */
function textOf({ reason, code }: Reason): string {
  return code === undefined ? reason : `${reason} (${code})`
}
