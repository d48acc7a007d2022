import { VaultUnavailable } from '../../link/channel/channel.ts'
import { createRounds } from '../turns/rounds.ts'

/**
 * Requests that the vault has and has not answered, at most. It begins sixteen together
 * (docs/decisions/0019-sixteen-at-a-time.md).
 */
export const sentMax = 64
/** Another one is sent while these have less. Bytes wait longer than requests: the vault reads 64 KiB in a turn. */
export const sentBytesMax = 512 * 1024
/**
 * Requests of one peer that the vault has and has not answered, at most, with those that have left their places. Each
 * is work of the vault, and shares the turns that the vault gives the peer.
 */
export const ofPeerMax = 2 * sentMax
/** The bytes of these. The vault and the service keep them until they are answered. */
export const bytesOfPeerMax = 64 * 1024 * 1024
/** A peer that has fewer with the vault waits for nobody, while all that the vault has have less than these bytes. */
export const ofQuietMax = 4
export const bytesOfQuietMax = 64 * 1024 * 1024
/** A request that takes longer waits for something else than its turn, and leaves its place to the next. */
export const heldMsMax = 250
/** Requests that wait at most. */
export const waitingMax = 8_192

/** `peer`: an address, or what else is one client. Nobody has verified the organization and the credential. */
export type Sender = { readonly peer: string; readonly organizationId: string; readonly credential: string }

/** `onWait` is called when the request has to wait: what it can do without should not be kept. */
type Wait = { readonly bytes: number; readonly waitMsMax: number; readonly onWait?: () => void }
type Send<T> = (leftMs: number) => Promise<T>
/** `untilMs`: when it leaves its place if it is not answered before. */
type Held = { readonly peer: string; readonly bytes: number; readonly untilMs: number }

/** The requests that the vault has and has not answered, and their bytes. */
type Sent = { readonly requests: number; readonly bytes: number }
const nothing: Sent = { requests: 0, bytes: 0 }

export type SendingTurns = {
  /**
   * Sends a request in its turn, with the time that is left for it. Rejects with `VaultUnavailable` if none is, or if too
   * many wait.
   */
  run<T>(by: Sender, asked: Wait, send: Send<T>): Promise<T>
}

/**
 * Lets the vault have a few requests at a time. The vault answers these in the order in which they came, or by the
 * names of organizations, which anybody can make up. The others wait here: peers take turns, then the organizations of
 * one, then their credentials (docs/decisions/0030-turns.md).
 */
export function createSendingTurns(): SendingTurns {
  const waiting = createRounds<() => void>()
  /** The requests that the vault has, the oldest first. */
  const held = new Set<Held>()
  /** By peer, the requests that the vault has, also those that have left their places. */
  const sentOf = new Map<string, Sent>()
  let heldBytes = 0
  let sentBytes = 0
  /** Runs while requests wait. Most never do, and a timer for each would cost them more than all the rest here. */
  let timer: NodeJS.Timeout | undefined

  const hasRoom = () => held.size < sentMax && heldBytes < sentBytesMax
  const sentBy = (peer: string | object) => (typeof peer === 'string' ? sentOf.get(peer) : undefined) ?? nothing
  const isQuiet = (peer: string) => sentBy(peer).requests < ofQuietMax && sentBytes < bytesOfQuietMax

  function mayHaveMore(peer: string | object): boolean {
    const { requests, bytes } = sentBy(peer)
    return requests < ofPeerMax && bytes < bytesOfPeerMax
  }

  function enter(one: Held): void {
    held.add(one)
    heldBytes += one.bytes
    count(one, 1)
  }

  function end(one: Held): void {
    leave(one)
    count(one, -1)
  }

  function count({ peer, bytes }: Held, sign: 1 | -1): void {
    sentBytes += sign * bytes
    const before = sentBy(peer)
    const requests = before.requests + sign
    if (requests === 0) sentOf.delete(peer)
    else sentOf.set(peer, { requests, bytes: before.bytes + sign * bytes })
  }

  function leave(one: Held): void {
    if (!held.delete(one)) return
    heldBytes -= one.bytes
  }

  function leaveOld(): void {
    const nowMs = performance.now()
    for (const one of held) {
      if (one.untilMs > nowMs) break
      leave(one)
    }
  }

  function sendWaiting(): void {
    while (hasRoom()) {
      const beginNow = waiting.take(mayHaveMore)
      // Peers that have all that they may have wait for an answer to one of their own.
      if (beginNow === undefined) return
      beginNow()
    }
    if (waiting.size > 0 && timer === undefined) timer = setTimeout(sendAfterOld, msUntilOld())
  }

  function sendAfterOld(): void {
    timer = undefined
    leaveOld()
    sendWaiting()
  }

  function msUntilOld(): number {
    const [oldest] = held
    return oldest === undefined ? 0 : Math.max(1, Math.ceil(oldest.untilMs - performance.now()))
  }

  async function begin<T>(peer: string, bytes: number, send: () => Promise<T>): Promise<T> {
    const one = { peer, bytes, untilMs: performance.now() + heldMsMax }
    enter(one)
    try {
      return await send()
    } finally {
      end(one)
      if (waiting.size > 0) sendWaiting()
    }
  }

  function wait<T>(
    { peer, organizationId, credential }: Sender,
    { bytes, waitMsMax, onWait }: Wait,
    send: Send<T>,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      onWait?.()
      if (waiting.size >= waitingMax) throw new VaultUnavailable('the vault has too many requests to answer')
      const endsMs = performance.now() + waitMsMax
      let isOver = false
      const deadline = setTimeout(() => {
        isOver = true
        reject(new VaultUnavailable(`the vault had no turn for the request within ${waitMsMax} ms`))
      }, waitMsMax)
      const beginNow = () => {
        if (isOver) return
        clearTimeout(deadline)
        const leftMs = Math.max(1, Math.floor(endsMs - performance.now()))
        resolve(begin(peer, bytes, () => send(leftMs)))
      }
      waiting.add(beginNow, [peer, organizationId, credential])
      sendWaiting()
    })
  }

  return {
    run(by, asked, send) {
      if (!hasRoom() && waiting.size === 0) leaveOld()
      const goes = hasRoom() ? mayHaveMore(by.peer) : isQuiet(by.peer)
      return goes ? begin(by.peer, asked.bytes, () => send(asked.waitMsMax)) : wait(by, asked, send)
    },
  }
}
