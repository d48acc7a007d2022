import { VaultUnavailable } from '../../link/channel.ts'
import { createRounds } from '../rounds.ts'

/** Requests that the vault has and has not answered, at most. It begins sixteen together (docs/decisions/0019-sixteen-at-a-time.md). */
export const sentMax = 64
/** Another one is sent while these have less. Bytes wait longer than requests: the vault reads 64 KiB in a turn. */
export const sentBytesMax = 512 * 1024
/** A peer that has fewer with the vault waits for nobody. */
export const ofQuietMax = 4
/** A request that takes longer waits for something else than its turn, and leaves its place to the next. */
export const heldMsMax = 250
/** Requests that wait at most. */
export const waitingMax = 8_192

/** `peer`: an address, or what else is one client. Nobody has verified the organization and the credential. */
export type Sender = { readonly peer: string; readonly organizationId: string; readonly credential: string }

export type SendingTurns = {
  /**
   * Sends a request in its turn, with the time that is left for it. Rejects with `VaultUnavailable` if none is, or if too
   * many wait.
   */
  run<T>(
    by: Sender,
    asked: { readonly bytes: number; readonly waitMsMax: number },
    send: (leftMs: number) => Promise<T>,
  ): Promise<T>
}

/**
 * Lets the vault have a few requests at a time. What it has is answered in the order in which it came, or by the names
 * of organizations, which anybody can make up. The others wait here: peers take turns, then the organizations of one,
 * then their credentials (docs/decisions/0030-turns.md).
 */
export function createSendingTurns(): SendingTurns {
  const waiting = createRounds<() => void>()
  const sentOf = new Map<string, number>()
  let sent = 0
  let sentBytes = 0

  const hasRoom = () => sent < sentMax && sentBytes < sentBytesMax
  const isQuiet = (peer: string) => (sentOf.get(peer) ?? 0) < ofQuietMax

  function count(peer: string, requests: 1 | -1, bytes: number): void {
    sent += requests
    sentBytes += requests * bytes
    const own = (sentOf.get(peer) ?? 0) + requests
    if (own === 0) sentOf.delete(peer)
    else sentOf.set(peer, own)
  }

  function begin<T>(peer: string, bytes: number, send: () => Promise<T>): Promise<T> {
    count(peer, 1, bytes)
    let isHeld = true
    const leave = () => {
      if (!isHeld) return
      isHeld = false
      clearTimeout(timer)
      count(peer, -1, bytes)
      while (hasRoom() && waiting.size > 0) waiting.take()?.()
    }
    const timer = setTimeout(leave, heldMsMax)
    return send().finally(leave)
  }

  return {
    run({ peer, organizationId, credential }, { bytes, waitMsMax }, send) {
      if (hasRoom() || isQuiet(peer)) return begin(peer, bytes, () => send(waitMsMax))
      return new Promise((resolve, reject) => {
        if (waiting.size >= waitingMax) throw new VaultUnavailable('the vault has too many requests to answer')
        const endsMs = performance.now() + waitMsMax
        let isOver = false
        const timer = setTimeout(() => {
          isOver = true
          reject(new VaultUnavailable(`the vault had no turn for the request within ${waitMsMax} ms`))
        }, waitMsMax)
        const beginNow = () => {
          if (isOver) return
          clearTimeout(timer)
          const leftMs = Math.max(1, Math.floor(endsMs - performance.now()))
          resolve(begin(peer, bytes, () => send(leftMs)))
        }
        waiting.add(beginNow, [peer, organizationId, credential])
      })
    },
  }
}
