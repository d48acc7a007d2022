import { portionRowsMax } from '../../store/portions.ts'
import type { MessageAttempt, MessageId, WebhookChange, WebhookPortion } from '../../store/queue_changes.ts'
import type { DueWebhook, Store } from '../../store/store.ts'
import { inHandMsMax } from '../worker.ts'

/** The newest events of an endpoint that were given up are kept, and for this long. */
const givenUpMax = 1_000
const givenUpMsMax = 7 * 24 * 60 * 60 * 1000
const sweepMsMax = 60 * 60 * 1000
/** Events that wait for an endpoint. A tenant makes as many as it signs. */
const waitingMax = 10_000
/** One look counts so many times as many. If there are more, it sees only a part of the sources. */
const waitingCountedMax = 2
const tooManyWait = 'too many wait'
/** Portions of a sweep that one look removes. */
const portionsAtOnceMax = 10

type Endpoint = Pick<DueWebhook, 'organizationId' | 'endpointId'>

export type EventQueueParts = {
  readonly store: Pick<Store, 'largestWebhookSource' | 'changeQueue'>
  /** For tests. */
  readonly givenUpKept?: number | undefined
  readonly waitingKept?: number | undefined
}

/** The events that wait in the store, and those that were given up and can be replayed. Both lists have a bound. */
export class EventQueue {
  readonly #store: EventQueueParts['store']
  readonly #givenUpKept: number
  readonly #waitingKept: number
  #sweptAtMs = Number.NEGATIVE_INFINITY

  constructor({ store, givenUpKept = givenUpMax, waitingKept = waitingMax }: EventQueueParts) {
    this.#store = store
    this.#givenUpKept = givenUpKept
    this.#waitingKept = waitingKept
  }

  /** Takes an event for an attempt. Returns whether this service has it now. */
  async claim({ organizationId, messageId, attempts }: MessageAttempt, nowMs: number): Promise<boolean> {
    const dueAtMs = nowMs + inHandMsMax
    return (await this.#change({ change: 'claim', organizationId, messageId, attempts, dueAtMs })) !== 'conflict'
  }

  async remove({ organizationId, messageId }: MessageId): Promise<void> {
    await this.#change({ change: 'remove', organizationId, messageId })
  }

  async postpone(
    { organizationId, messageId }: MessageId,
    until: { readonly dueAtMs: number; readonly reason: string },
  ): Promise<void> {
    await this.#change({ change: 'postpone', organizationId, messageId, ...until })
  }

  /** The event is kept for a while, to be listed and replayed. */
  async giveUp(
    { organizationId, messageId, endpointId }: DueWebhook,
    { reason, nowMs }: { readonly reason: string; readonly nowMs: number },
  ): Promise<void> {
    await this.#change({ change: 'end', organizationId, messageId, endedAtMs: nowMs, reason })
    await this.#change({ change: 'trim', organizationId, endpointId, kept: this.#givenUpKept })
  }

  /** Drops a portion of the events of an endpoint. Returns whether there may be more. */
  dropPortion({ organizationId, endpointId }: Endpoint): Promise<boolean> {
    return this.#changePortion({ change: 'drop', organizationId, endpointId })
  }

  /**
   * Gives up a portion of the oldest events of an endpoint for which too many wait, as if they had expired: of the
   * organization in which the most of them happened. Returns that organization if it has lost some.
   */
  async bound({ organizationId, endpointId }: Endpoint, nowMs: number): Promise<string | undefined> {
    const endpoint = { organizationId, endpointId }
    const limit = waitingCountedMax * this.#waitingKept
    const largest = await this.#store.largestWebhookSource({ ...endpoint, limit })
    if (largest === undefined || largest.waiting <= this.#waitingKept) return undefined
    const { happenedIn } = largest
    const count = Math.min(largest.waiting - this.#waitingKept, portionRowsMax)
    const over = { happenedIn, count, endedAtMs: nowMs, reason: tooManyWait }
    if (!(await this.#changePortion({ change: 'bound', ...endpoint, ...over }))) return undefined
    await this.#change({ change: 'trim', ...endpoint, kept: this.#givenUpKept })
    return happenedIn
  }

  /** Removes the events that were given up long ago, once an hour. */
  async sweep(nowMs: number): Promise<void> {
    if (nowMs - this.#sweptAtMs < sweepMsMax) return
    const endedBeforeMs = nowMs - givenUpMsMax
    for (let portions = 0; portions < portionsAtOnceMax; portions += 1) {
      if (await this.#changePortion({ change: 'expire', endedBeforeMs })) continue
      this.#sweptAtMs = nowMs
      return
    }
  }

  #change(change: WebhookChange): ReturnType<Store['changeQueue']> {
    return this.#store.changeQueue({ queue: 'webhooks', ...change })
  }

  async #changePortion(change: WebhookPortion): Promise<boolean> {
    return (await this.#change(change)) === 'more'
  }
}
