import { type SignedWebhook, webhookFeatureName } from '../../../protocol/wire/webhooks.ts'
import type { Log } from '../../process/log.ts'
import { portionRowsMax } from '../../store/portions.ts'
import type { WebhookChange, WebhookPortion } from '../../store/queue_changes.ts'
import type { DueWebhook, Store, WaitingEndpoint } from '../../store/store.ts'
import type { VaultClient } from '../../vault/client.ts'
import { attemptOnce } from '../attempt.ts'
import type { Carrier, Outcome, Reason } from '../carrier.ts'
import { createDeliveryTurns, type Turn } from '../delivery_turns.ts'
import { type Delivery, type Hands, inHandMsMax, nextAttemptMs, startWorker } from '../worker.ts'
import { EndpointTroubles, quickMsMax } from './endpoint_troubles.ts'
import { createSourceTurns } from './source_turns.ts'
import { createWaitingEndpoints } from './waiting_endpoints.ts'

/** Deliveries of webhooks at once. Mail and SMS have their own, so slow receivers do not delay them. */
export const webhooksAtOnceMax = 32
/** Deliveries of one organization at once, so that its slow receivers do not delay those of others. */
export const webhooksOfOrganizationMax = 4
/** Deliveries of one endpoint at once, so that it leaves a place for the others of its organization. */
const webhooksOfEndpointMax = 3
/** Deliveries at once of all endpoints of an organization that are slow, so that they leave a place for a quick one. */
const webhooksOfSlowMax = 3
/** Deliveries of one organization and its sub-organizations at once. It may make many sub-organizations. */
export const webhooksOfFamilyMax = 16
/** Deliveries of all sub-organizations of one parent at once. They leave it the places of an organization. */
const webhooksOfSubOrganizationsMax = webhooksOfFamilyMax - webhooksOfOrganizationMax
const attemptMsMax = 10_000
/** The newest events of an endpoint that were given up are kept, and for this long. */
export const givenUpMax = 1_000
export const givenUpMsMax = 7 * 24 * 60 * 60 * 1000
const sweepMsMax = 60 * 60 * 1000
/** Events that wait for an endpoint. A tenant makes as many as it signs. */
export const waitingMax = 10_000
/** One look counts so many times as many. If there are more, it sees only a part of the sources. */
const waitingCountedMax = 2
const tooManyWait = 'too many wait'
/** So many endpoints in turn lose a portion of what is more, once in this time: each takes a while of the writer. */
const boundedAtOnceMax = 4
const boundedMsMin = 500
/** Portions of a sweep that one look removes. */
const portionsAtOnceMax = 10

type WebhookDeliveryParts = {
  readonly store: Pick<
    Store,
    'waitingEndpoints' | 'nextWebhookSource' | 'largestWebhookSource' | 'dueWebhooks' | 'changeQueue' | 'find'
  >
  readonly vault: Pick<VaultClient, 'openMessage'>
  readonly carry: Carrier<SignedWebhook>
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** For tests. */
  readonly nowMs?: () => number
  readonly attemptMs?: number
  readonly lookMs?: number
  readonly givenUpKept?: number
  readonly waitingKept?: number
}

/** `isTurn`: the turn of an endpoint that fails. `onSlow` is called once the receiver has taken its time. */
type Attempt = { readonly isTurn: boolean; readonly hands: Hands; readonly onSlow: () => void }

/**
 * Delivers each event at least once, and those about one activity in order. The events of an endpoint that fails wait for
 * its next turn, in which one of them is tried. An endpoint that takes one gets the others at once. An event that is
 * refused or expires is kept for a while, to be listed and replayed. Events of an endpoint that is gone are dropped.
 */
export function startWebhookDelivery(parts: WebhookDeliveryParts): Delivery {
  const { store, vault, carry, log, nowMs = Date.now, attemptMs = attemptMsMax, lookMs } = parts
  const { givenUpKept = givenUpMax, waitingKept = waitingMax } = parts
  let sweptAtMs = Number.NEGATIVE_INFINITY
  let boundedAtMs = Number.NEGATIVE_INFINITY
  const troubles = new EndpointTroubles()
  const endpoints = createWaitingEndpoints({
    store,
    isReady: (one) => one.dueAtMs <= nowMs() && troubles.mayTry(one, nowMs()),
  })
  const sources = createSourceTurns(store)
  const takeTurns = createDeliveryTurns({
    atOnceMax: webhooksAtOnceMax,
    ofOrganizationMax: webhooksOfOrganizationMax,
    ofFamilyMax: webhooksOfFamilyMax,
    ofSubOrganizationsMax: webhooksOfSubOrganizationsMax,
    next: endpoints.nextOrganization,
    takeDue,
  })
  return startWorker({
    look,
    onError: (error) => log.error({ channel: 'webhook', error }, 'the events cannot be read'),
    isMore: endpoints.isMore,
    lookMs,
  })

  function change(given: WebhookChange): ReturnType<Store['changeQueue']> {
    return store.changeQueue({ queue: 'webhooks', ...given })
  }

  async function look(hands: Hands): Promise<void> {
    await sweep()
    await endpoints.find()
    await boundAll()
    await takeTurns(hands)
  }

  async function takeDue({ organizationId, limit, owners }: Turn, hands: Hands): Promise<void> {
    let room = limit
    for (const { endpointId } of endpoints.ofOrganization(organizationId)) {
      const endpoint = { organizationId, endpointId }
      const own = `endpoint ${organizationId} ${endpointId}`
      const slow = troubles.isSlow(endpoint) ? [`slow of ${organizationId}`] : []
      const places = [
        webhooksOfEndpointMax - hands.count(own),
        ...slow.map((all) => webhooksOfSlowMax - hands.count(all)),
      ]
      const most = Math.min(room, ...places)
      // In a turn of an endpoint that fails, one event is tried.
      for (let tried = 0; tried < most && troubles.mayTry(endpoint, nowMs()); tried += 1) {
        const event = await sources.nextDue(endpoint, nowMs())
        if (event === undefined) break
        const dueAtMs = nowMs() + inHandMsMax
        const { messageId, attempts } = event
        const claim = { change: 'claim', organizationId, messageId, attempts, dueAtMs } as const
        if ((await change(claim)) === 'conflict') continue
        const isKnownAsSlow = slow.length > 0
        // Nobody could know that it is slow. So it takes a place of its organization no longer than a quick one does.
        const onSlow = () => {
          if (!isKnownAsSlow) hands.release(delivered, organizationId)
        }
        const delivered = deliver(event, { ...troubles.begin(event, nowMs()), hands, onSlow })
        hands.take(delivered, [...owners, own, ...slow])
        room -= 1
      }
    }
  }

  async function deliver(event: DueWebhook, { isTurn, hands, onSlow }: Attempt): Promise<void> {
    const { organizationId, messageId, endpointId } = event
    const attempt = event.attempts + 1
    const about = { organizationId, messageId, endpointId, attempt }
    try {
      if (await isOfNobody(event)) {
        troubles.forget(event)
        await drop(event)
        return log.info(about, 'the events of an endpoint that is gone were dropped')
      }
      const outcome = await attemptOnce({ store, vault, hands }, event, (opened) => {
        if (opened.channel !== 'webhook') throw new Error('a message to a person is among the events')
        const noteSlow = () => {
          troubles.slow(event)
          onSlow()
        }
        const carried = carry(opened, { messageId, signal: hands.attemptSignal(attemptMs) })
        return timed(carried, { onQuick: () => troubles.quick(event), onSlow: noteSlow })
      })
      switch (outcome.kind) {
        case 'delivered':
          await change({ change: 'remove', organizationId, messageId })
          if (troubles.forget(event).isChange) log.info(about, 'an endpoint takes events again')
          return log.info(about, 'an event was delivered')
        case 'failed':
          return await postpone(event, outcome, { isTurn, attempt })
        case 'refused':
          await giveUp(event, textOf(outcome))
          if (!troubles.refuse(event).isChange) return
          return log.warn({ ...about, ...reasonOf(outcome) }, 'an endpoint refuses events: they are given up')
        case 'expired':
          await giveUp(event, 'expired')
          if (!troubles.expire(event, nowMs()).isChange) return
          return log.warn(about, 'events of an endpoint have expired: they are given up')
        case 'unwanted':
        case 'integrity': {
          await change({ change: 'remove', organizationId, messageId })
          if (isTurn) troubles.giveBack(event, nowMs())
          if (outcome.kind === 'unwanted')
            return log.info(about, 'an event for an endpoint that is switched off was dropped')
          const { incident } = outcome
          return log.error({ ...about, incident }, 'an event is not what the vault sealed: it is dropped')
        }
      }
    } catch (error) {
      log.error({ ...about, error }, 'the events cannot be written')
    }
  }

  /** Looks each time whether the endpoint is gone: a feature has the same id when it is set again. */
  async function drop(event: DueWebhook): Promise<void> {
    const { organizationId, endpointId } = event
    let isMore = true
    while (isMore && (await isOfNobody(event)))
      isMore = await changePortion({ change: 'drop', organizationId, endpointId })
  }

  /** Whether the endpoint was deleted, or switched off where it is a feature. */
  async function isOfNobody({ organizationId, endpointId }: DueWebhook): Promise<boolean> {
    const kind = endpointId === webhookFeatureName ? 'feature' : 'webhook_endpoint'
    const [found] = await store.find([{ read: 'record', organizationId, kind, recordId: endpointId }])
    return found?.read === 'record' && found.row === undefined
  }

  /** The log has a line when the endpoint begins to fail, and none for each event. */
  async function postpone(
    event: DueWebhook,
    failure: Reason,
    { isTurn, attempt }: { readonly isTurn: boolean; readonly attempt: number },
  ): Promise<void> {
    const { organizationId, messageId, endpointId, expiresAtMs } = event
    const ownDueAtMs = nextAttemptMs({ attempt, expiresAtMs, nowMs: nowMs() })
    const reason = textOf(failure)
    // Another receiver may have ended what was sent beside it.
    if (failure.reason === 'interrupted') {
      const dueAtMs = nextAttemptMs({ attempt: 1, expiresAtMs, nowMs: nowMs() })
      await change({ change: 'postpone', organizationId, messageId, dueAtMs, reason })
      if (isTurn) troubles.giveBack(event, nowMs())
      return
    }
    // A vault that is away says nothing about the endpoint. The log tells of it elsewhere.
    if (failure.reason === 'the vault is away') {
      await change({ change: 'postpone', organizationId, messageId, dueAtMs: ownDueAtMs, reason })
      return
    }
    const { isChange, nextTurnMs } = troubles.fail(event, { isTurn, nowMs: nowMs() })
    // Behind the others, so that one event that an endpoint never takes does not keep back those that it does.
    const dueAtMs = Math.max(ownDueAtMs, nextTurnMs + attempt)
    await change({ change: 'postpone', organizationId, messageId, dueAtMs, reason })
    if (!isChange) return
    log.warn(
      { organizationId, messageId, endpointId, attempt, ...reasonOf(failure) },
      'an endpoint takes no events: they wait',
    )
  }

  async function giveUp({ organizationId, messageId, endpointId }: DueWebhook, reason: string): Promise<void> {
    await change({ change: 'end', organizationId, messageId, endedAtMs: nowMs(), reason })
    await change({ change: 'trim', organizationId, endpointId, kept: givenUpKept })
  }

  async function boundAll(): Promise<void> {
    if (nowMs() - boundedAtMs < boundedMsMin) return
    boundedAtMs = nowMs()
    for (const endpoint of endpoints.nextInTurn(boundedAtOnceMax)) await bound(endpoint)
  }

  /**
   * Gives up a portion of the oldest events of an endpoint for which too many wait, as if they had expired: of the
   * organization in which the most of them happened.
   */
  async function bound({ organizationId, endpointId }: WaitingEndpoint): Promise<void> {
    const endpoint = { organizationId, endpointId }
    const largest = await store.largestWebhookSource({ ...endpoint, limit: waitingCountedMax * waitingKept })
    if (largest === undefined || largest.waiting <= waitingKept) return
    const count = Math.min(largest.waiting - waitingKept, portionRowsMax)
    const over = { happenedIn: largest.happenedIn, count, endedAtMs: nowMs(), reason: tooManyWait }
    if (!(await changePortion({ change: 'bound', ...endpoint, ...over }))) return
    await changePortion({ change: 'trim', ...endpoint, kept: givenUpKept })
    if (!troubles.crowd(endpoint, nowMs()).isChange) return
    const about = { ...endpoint, happenedIn: largest.happenedIn }
    log.warn(about, 'too many events wait for an endpoint: the oldest of one organization are given up')
  }

  async function sweep(): Promise<void> {
    if (nowMs() - sweptAtMs < sweepMsMax) return
    const endedBeforeMs = nowMs() - givenUpMsMax
    for (let portions = 0; portions < portionsAtOnceMax; portions += 1) {
      if (await changePortion({ change: 'expire', endedBeforeMs })) continue
      sweptAtMs = nowMs()
      return
    }
  }

  /** Makes a change of a portion. Returns whether there may be more. */
  async function changePortion(given: WebhookPortion): Promise<boolean> {
    return (await change(given)) === 'more'
  }
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

function reasonOf({ reason, code }: Reason) {
  return { reason, code }
}

/** For the list of deliveries: words of `Reason` and a code. */
function textOf({ reason, code }: Reason): string {
  return code === undefined ? reason : `${reason} (${code})`
}
