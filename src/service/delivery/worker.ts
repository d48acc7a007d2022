import type { OutboxRow } from '../../protocol/reads.ts'
import { unlessAborted } from '../../protocol/tools/unless_aborted.ts'
import { VaultUnavailable } from '../vault/client.ts'

export type WrittenMessage = Pick<OutboxRow, 'channel' | 'organizationId'>

export type Delivery = {
  /** Looks for due messages now, because a commit wrote some: these. */
  wake(written?: readonly WrittenMessage[]): void
  /** Takes no further message and waits for the deliveries in progress. They are aborted when `over` is. */
  close(over?: AbortSignal): Promise<void>
}

/** The deliveries in progress. */
export type Hands = {
  /** How many there are, of one owner or of all. */
  count(owner?: string): number
  /** Notes a delivery. Its end wakes the worker. A delivery reports its own failures and never rejects. */
  take(delivered: Promise<void>, owners?: readonly string[]): void
  /** From now on a delivery in progress is no longer one of the owner, which may begin another. */
  release(delivered: Promise<void>, owner: string): void
  /** For one attempt: aborted after so long, or when the worker must end. */
  attemptSignal(msMax: number): AbortSignal
  /** Rejects with `VaultUnavailable` when the worker must end: a vault that hangs does not keep it. */
  unlessStopped<T>(asked: Promise<T>): Promise<T>
}

type WorkerParts = {
  /** Takes what is due. */
  readonly look: (hands: Hands) => Promise<void>
  readonly onError: (error: unknown) => void
  /** Whether more waits than one look sees. The next look then comes soon. */
  readonly isMore?: () => boolean
  readonly lookMs: number | undefined
}

/** The longest time between two looks, which find messages whose pause is over. */
const lookMsMax = 1_000
/** The longest time between two looks while one does not see all that waits. A shorter one costs an idle server more. */
const moreMsMax = 50
/** A claimed message is due again after this, because its service may have died. It is longer than any attempt. */
export const inHandMsMax = 60_000

const backoffMsMin = 1_000
const backoffMsMax = 300_000

/** The pause after an attempt. The first attempt is number 1. */
export function backoffMs(attempt: number): number {
  return Math.min(backoffMsMin * 2 ** (attempt - 1), backoffMsMax)
}

type Attempt = {
  readonly attempt: number
  readonly expiresAtMs: number
  readonly nowMs: number
}

/** Returns when to try again. The last attempt comes at the expiry: the vault then answers `expired`. */
export function nextAttemptMs({ attempt, expiresAtMs, nowMs }: Attempt): number {
  return Math.min(nowMs + backoffMs(attempt), Math.max(expiresAtMs, nowMs + backoffMsMin))
}

/** Looks whenever it is woken, a delivery has ended or `lookMs` have passed, until it is closed. */
export function startWorker({ look, onError, isMore = () => false, lookMs = lookMsMax }: WorkerParts): Delivery {
  const inHand = new Map<Promise<void>, readonly string[]>()
  let woken = Promise.withResolvers<void>()
  let isClosing = false
  const stop = new AbortController()
  const hands: Hands = {
    count: (owner) =>
      owner === undefined ? inHand.size : [...inHand.values()].filter((owners) => owners.includes(owner)).length,
    take(delivered, owners = []) {
      inHand.set(delivered, owners)
      void delivered.finally(() => {
        inHand.delete(delivered)
        woken.resolve()
      })
    },
    release(delivered, owner) {
      const owners = inHand.get(delivered)
      if (owners === undefined) return
      inHand.set(
        delivered,
        owners.filter((one) => one !== owner),
      )
      woken.resolve()
    },
    attemptSignal: (msMax) => AbortSignal.any([AbortSignal.timeout(msMax), stop.signal]),
    unlessStopped: (asked) => unlessAborted(stop.signal, asked, () => new VaultUnavailable('the server ends')),
  }
  const ended = run()

  return {
    wake: () => woken.resolve(),
    close(over) {
      isClosing = true
      woken.resolve()
      over?.addEventListener('abort', () => stop.abort())
      if (over?.aborted) stop.abort()
      return ended
    },
  }

  async function run(): Promise<void> {
    while (!isClosing) {
      woken = Promise.withResolvers()
      let pauseMs = lookMs
      try {
        await look(hands)
        if (isMore()) pauseMs = Math.min(moreMsMax, lookMs)
      } catch (error) {
        onError(error)
      }
      const timer = setTimeout(woken.resolve, pauseMs)
      if (!isClosing) await woken.promise
      clearTimeout(timer)
    }
    await Promise.all(inHand.keys())
  }
}
