/** New connections of a peer that are begun as they come. A backend that is started again opens hundreds at once. */
export const begunAtOnceMax = 512
/** And so many more in each second. */
export const begunPerSecondMax = 500

const msOfOne = 1_000 / begunPerSecondMax
const tickMs = 20

type Line = Set<() => void>

export type Beginnings = {
  /** Begins to read a connection of the peer, now or in its turn. Returns what takes it out of the line. */
  begin(peer: string, read: () => void): () => void
}

/**
 * To begin with a connection, to answer it and to end it takes several times as long as to accept it. All addresses wait
 * in one line to be accepted, so one that opens connections faster than they are answered would have the others wait for
 * all of its own. So those of a peer that opens very many wait here, accepted and unread, while others are begun at once.
 */
export function createBeginnings({
  nowMs = () => performance.now(),
  later = (run: () => void) => void setTimeout(run, tickMs),
} = {}): Beginnings {
  /** When a peer may begin `begunAtOnceMax` again. Those that may are left out. The last to begin is last. */
  const fullAgainMs = new Map<string, number>()
  const lines = new Map<string, Line>()
  let isTicking = false

  function mayBegin(peer: string): boolean {
    const now = nowMs()
    for (const [other, ms] of fullAgainMs) {
      if (ms > now) break
      fullAgainMs.delete(other)
    }
    const next = Math.max(fullAgainMs.get(peer) ?? now, now) + msOfOne
    if (next > now + begunAtOnceMax * msOfOne) return false
    fullAgainMs.delete(peer)
    fullAgainMs.set(peer, next)
    return true
  }

  function tick(): void {
    for (const [peer, line] of lines) {
      for (const read of line) {
        if (!mayBegin(peer)) break
        line.delete(read)
        read()
      }
      if (line.size === 0) lines.delete(peer)
    }
    isTicking = lines.size > 0
    if (isTicking) later(tick)
  }

  return {
    begin(peer, read) {
      const line = lines.get(peer) ?? new Set()
      if (line.size === 0 && mayBegin(peer)) {
        read()
        return () => {}
      }
      lines.set(peer, line.add(read))
      if (!isTicking) later(tick)
      isTicking = true
      return () => void line.delete(read)
    },
  }
}
