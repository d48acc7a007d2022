/** Keys that are remembered at most. Beyond that, the half that has the most requests left is forgotten. */
export const rateKeysMax = 10_000
const minuteMs = 60_000

export type RateLimiter = {
  /** Takes one request of a key. Returns the seconds to wait if the key has taken too many; else undefined. */
  take(key: string): number | undefined
}

type Limiting = { readonly perMinuteMax: number; readonly nowMs: () => number }

/**
 * Counts requests by key. Each key may take `perMinuteMax` at once, and gains as many a minute. Each node counts by
 * itself: this keeps one sender from flooding others, and is no rule that money rests on.
 */
export function createRateLimiter({ perMinuteMax, nowMs }: Limiting): RateLimiter {
  const msOfOne = minuteMs / perMinuteMax
  /** When each key has all of its requests again. */
  const fullAtMs = new Map<string, number>()

  return {
    take(key) {
      const now = nowMs()
      const busyUntilMs = Math.max(fullAtMs.get(key) ?? 0, now) + msOfOne
      const overMs = busyUntilMs - now - minuteMs
      if (overMs > 0) return Math.ceil(overMs / 1_000)
      fullAtMs.set(key, busyUntilMs)
      if (fullAtMs.size > rateKeysMax) forgetHalf(fullAtMs)
      return undefined
    },
  }
}

/** Anybody makes up keys and asks once for each, so the busiest ones stay, whenever they have asked. */
function forgetHalf(fullAtMs: Map<string, number>): void {
  const idlest = [...fullAtMs].toSorted(([, one], [, other]) => one - other).slice(0, rateKeysMax / 2)
  for (const [key] of idlest) fullAtMs.delete(key)
}
