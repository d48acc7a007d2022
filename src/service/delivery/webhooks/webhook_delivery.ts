import type { Store } from '../../store/store.ts'
import { createDeliveryTurns, type Turn } from '../delivery_turns.ts'
import { type Delivery, type Hands, startWorker } from '../worker.ts'
import { deliverEvent, type EventDelivery } from './deliver_event.ts'
import { EndpointTroubles } from './endpoint_troubles.ts'
import { EventQueue, type EventQueueParts } from './event_queue.ts'
import { createSourceTurns } from './source_turns.ts'
import { createWaitingEndpoints, type WaitingEndpoints } from './waiting_endpoints.ts'

/** Deliveries of webhooks at once. Mail and SMS have their own, so slow receivers do not delay them. */
const webhooksAtOnceMax = 32
/** Deliveries of one organization at once, so that its slow receivers do not delay those of others. */
const webhooksOfOrganizationMax = 4
/** Deliveries of one endpoint at once, so that it leaves a place for the others of its organization. */
const webhooksOfEndpointMax = 3
/** Deliveries at once of all endpoints of an organization that are slow, so that they leave a place for a quick one. */
const webhooksOfSlowMax = 3
/** Deliveries of one organization and its sub-organizations at once. It may make many sub-organizations. */
const webhooksOfFamilyMax = 16
/** Deliveries of all sub-organizations of one parent at once. They leave it the places of an organization. */
const webhooksOfSubOrganizationsMax = webhooksOfFamilyMax - webhooksOfOrganizationMax
const attemptMsMax = 10_000
/** So many endpoints in turn lose a portion of what is more, once in this time: each takes a while of the writer. */
const boundedAtOnceMax = 4
const boundedMsMin = 500

type WebhookDeliveryParts = EventQueueParts &
  Pick<EventDelivery, 'vault' | 'carry' | 'log'> & {
    readonly store: Pick<Store, 'waitingEndpoints' | 'nextWebhookSource' | 'dueWebhooks' | 'find'>
    /** For tests. */
    readonly nowMs?: () => number
    readonly attemptMs?: number
    readonly lookMs?: number
  }

/**
 * Delivers each event at least once, and those about one activity in order. The events of an endpoint that fails wait for
 * its next turn, in which one of them is tried. An endpoint that takes one gets the others at once. An event that is
 * refused or expires is kept for a while, to be listed and replayed. Events of an endpoint that is gone are dropped.
 */
export function startWebhookDelivery(parts: WebhookDeliveryParts): Delivery {
  const { store, vault, carry, log, nowMs = Date.now, attemptMs = attemptMsMax, lookMs } = parts
  const troubles = new EndpointTroubles()
  const queue = new EventQueue(parts)
  const endpoints = createWaitingEndpoints({
    store,
    isReady: (one) => one.dueAtMs <= nowMs() && troubles.mayTry(one, nowMs()),
  })
  const delivery = { queue, store, vault, carry, troubles, log, nowMs, attemptMs }
  const claiming = { ...delivery, endpoints, sources: createSourceTurns(store) }
  const takeTurns = createDeliveryTurns({
    atOnceMax: webhooksAtOnceMax,
    ofOrganizationMax: webhooksOfOrganizationMax,
    ofFamilyMax: webhooksOfFamilyMax,
    ofSubOrganizationsMax: webhooksOfSubOrganizationsMax,
    next: endpoints.nextOrganization,
    takeDue: (turn, hands) => claimDue(claiming, turn, hands),
  })
  let boundedAtMs = Number.NEGATIVE_INFINITY
  const worker = startWorker({
    async look(hands) {
      await queue.sweep(nowMs())
      await endpoints.find()
      if (nowMs() - boundedAtMs >= boundedMsMin) {
        boundedAtMs = nowMs()
        await boundNext(claiming)
      }
      await takeTurns(hands)
    },
    onError: (error) => log.error({ channel: 'webhook', error }, 'the events cannot be read'),
    isMore: endpoints.isMore,
    lookMs,
  })
  return {
    ...worker,
    wake(written = []) {
      for (const { channel, organizationId } of written) if (channel === 'webhook') endpoints.note(organizationId)
      worker.wake()
    },
  }
}

type Claiming = EventDelivery & {
  readonly endpoints: WaitingEndpoints
  readonly sources: ReturnType<typeof createSourceTurns>
}

/** Gives up events of the next endpoints for which too many wait. */
async function boundNext({ queue, endpoints, troubles, log, nowMs }: Claiming): Promise<void> {
  for (const { organizationId, endpointId } of endpoints.nextInTurn(boundedAtOnceMax)) {
    const endpoint = { organizationId, endpointId }
    const happenedIn = await queue.bound(endpoint, nowMs())
    if (happenedIn === undefined || !troubles.crowd(endpoint, nowMs()).isChange) continue
    const about = { ...endpoint, happenedIn }
    log.warn(about, 'too many events wait for an endpoint: the oldest of one organization are given up')
  }
}

/** Claims events of an organization that are due, and begins to deliver them. */
async function claimDue(claiming: Claiming, { organizationId, limit, owners }: Turn, hands: Hands): Promise<void> {
  const { queue, endpoints, sources, troubles, nowMs } = claiming
  let room = limit
  for (const { endpointId, parentId } of endpoints.ofOrganization(organizationId)) {
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
      if (!(await queue.claim(event, nowMs()))) continue
      const isKnownAsSlow = slow.length > 0
      // Nobody could know that it is slow. So it takes a place of its organization no longer than a quick one does.
      const onSlow = () => {
        if (!isKnownAsSlow) hands.release(delivered, organizationId)
      }
      const { isTurn } = troubles.begin(event, nowMs())
      const familyId = parentId ?? organizationId
      const delivered = deliverEvent(claiming, { event, familyId, isTurn, hands, onSlow })
      hands.take(delivered, [...owners, own, ...slow])
      room -= 1
    }
  }
}
