import type { DueWebhook } from '../../store/store.ts'
import { backoffMs } from '../worker.ts'

/** Endpoints of which this is remembered at once. The oldest is forgotten: its events are then tried each by itself. */
const endpointsMax = 10_000
/** An endpoint whose last attempt took longer is slow. */
export const quickMsMax = 1_000
const crowdedMsMin = 60 * 60 * 1000

type Endpoint = Pick<DueWebhook, 'organizationId' | 'endpointId'>

type Trouble = {
  /** `failed`: its events wait for its next turn. */
  readonly kind: 'failed' | 'refused' | 'expired'
  /** Turns of the endpoint that have failed, one after another. */
  readonly failures: number
  /** When the next turn is. Before, none of its events is tried. */
  readonly nextTurnMs: number
  /** Whether events of an endpoint that fails have expired since. */
  readonly hasExpired: boolean
}

/** A change of the state of an endpoint, which the log shows; or none. */
export type Change = { readonly isChange: boolean }

/**
 * The endpoints that do not take events, or take their time, as this node remembers them. An endpoint that fails has
 * turns, with a pause that grows: in a turn one event is tried, and all others wait. Each node remembers for itself,
 * and after a start nothing.
 */
export class EndpointTroubles {
  readonly #troubles = new Map<string, Trouble>()
  readonly #slow = new Set<string>()
  readonly #crowded = new Map<string, number>()

  isSlow(endpoint: Endpoint): boolean {
    return this.#slow.has(keyOf(endpoint))
  }

  /** An attempt has ended within `quickMsMax`, however it ended. */
  quick(endpoint: Endpoint): void {
    this.#slow.delete(keyOf(endpoint))
  }

  /** An attempt takes longer. */
  slow(endpoint: Endpoint): void {
    this.#slow.add(keyOf(endpoint))
    const [oldest] = this.#slow
    if (this.#slow.size > endpointsMax && oldest !== undefined) this.#slow.delete(oldest)
  }

  /** Whether an event of the endpoint may be tried now. */
  mayTry(endpoint: Endpoint, nowMs: number): boolean {
    const trouble = this.#failed(endpoint)
    return trouble === undefined || nowMs >= trouble.nextTurnMs
  }

  /** Too many events wait. The log shows it once an hour. */
  crowd(endpoint: Endpoint, nowMs: number): Change {
    const isChange = nowMs - (this.#crowded.get(keyOf(endpoint)) ?? Number.NEGATIVE_INFINITY) >= crowdedMsMin
    if (isChange) this.#crowded.set(keyOf(endpoint), nowMs)
    const [oldest] = this.#crowded.keys()
    if (this.#crowded.size > endpointsMax && oldest !== undefined) this.#crowded.delete(oldest)
    return { isChange }
  }

  /** Notes that one event is tried now. Returns whether that is a turn of an endpoint that fails: the others wait. */
  begin(endpoint: Endpoint, nowMs: number): { readonly isTurn: boolean } {
    const trouble = this.#failed(endpoint)
    if (trouble === undefined) return { isTurn: false }
    this.#set(endpoint, { ...trouble, nextTurnMs: nowMs + backoffMs(trouble.failures + 1) })
    return { isTurn: true }
  }

  /** A failure counts if it is that of a turn, or the first. Others were under way then. */
  fail(endpoint: Endpoint, { isTurn, nowMs }: { readonly isTurn: boolean; readonly nowMs: number }) {
    const before = this.#failed(endpoint)
    if (before !== undefined && !isTurn) return { isChange: false, nextTurnMs: before.nextTurnMs }
    const failures = (before?.failures ?? 0) + 1
    const nextTurnMs = nowMs + backoffMs(failures)
    this.#set(endpoint, { kind: 'failed', failures, nextTurnMs, hasExpired: before?.hasExpired ?? false })
    return { isChange: before === undefined, nextTurnMs }
  }

  /** The endpoint has answered with a refusal. */
  refuse(endpoint: Endpoint): Change {
    return this.#note(endpoint, 'refused')
  }

  /** An event has expired. */
  expire(endpoint: Endpoint, nowMs: number): Change {
    const trouble = this.#failed(endpoint)
    if (trouble === undefined) return this.#note(endpoint, 'expired')
    this.#set(endpoint, { ...trouble, hasExpired: true })
    this.giveBack(endpoint, nowMs)
    return { isChange: !trouble.hasExpired }
  }

  /** The event of a turn was not sent, which says nothing of the endpoint: the turn is for the next event. */
  giveBack(endpoint: Endpoint, nowMs: number): Change {
    const trouble = this.#failed(endpoint)
    if (trouble !== undefined) this.#set(endpoint, { ...trouble, nextTurnMs: nowMs })
    return { isChange: false }
  }

  /** The endpoint takes events, or is gone. Returns whether it did not take any before. */
  forget(endpoint: Endpoint): Change {
    return { isChange: this.#troubles.delete(keyOf(endpoint)) }
  }

  #note(endpoint: Endpoint, kind: 'refused' | 'expired'): Change {
    const isChange = this.#troubles.get(keyOf(endpoint))?.kind !== kind
    this.#set(endpoint, { kind, failures: 0, nextTurnMs: 0, hasExpired: false })
    return { isChange }
  }

  #failed(endpoint: Endpoint): Trouble | undefined {
    const trouble = this.#troubles.get(keyOf(endpoint))
    return trouble?.kind === 'failed' ? trouble : undefined
  }

  #set(endpoint: Endpoint, trouble: Trouble): void {
    this.#troubles.set(keyOf(endpoint), trouble)
    const [oldest] = this.#troubles.keys()
    if (this.#troubles.size > endpointsMax && oldest !== undefined) this.#troubles.delete(oldest)
  }
}

function keyOf({ organizationId, endpointId }: Endpoint): string {
  return `${organizationId} ${endpointId}`
}
