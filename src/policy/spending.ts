import { dayMs, hourMs, minuteMs } from './language/time/durations.ts'

/** The amount that was signed at about one time. */
export type Amount = { readonly atMs: number; readonly amount: bigint }

/**
 * Adds an amount to `amounts`, which are in order of time, and merges old ones, so that a key that signs all day keeps
 * a short list. Amounts of the last hour merge by the minute, those of the last day by ten minutes, those of the last
 * seven days by the hour, older ones by the day. A merged amount has its latest time. So an amount leaves a window late
 * by less than that span, and never early, even after a clock was set back. Amounts that are older than `keptMs` are
 * dropped. If it is `Infinity`, all amounts merge into one total.
 */
export function withAmount(amounts: readonly Amount[], added: Amount, keptMs: number): readonly Amount[] {
  const merged: Amount[] = []
  for (const { atMs, amount } of [...amounts, added].toSorted((one, other) => one.atMs - other.atMs)) {
    const ageMs = added.atMs - atMs
    if (ageMs >= keptMs) continue
    const last = merged.at(-1)
    const slotMs = keptMs === Infinity ? Infinity : slotMsAt(ageMs)
    if (last !== undefined && Math.floor(last.atMs / slotMs) === Math.floor(atMs / slotMs)) {
      merged[merged.length - 1] = { atMs, amount: last.amount + amount }
    } else merged.push({ atMs, amount })
  }
  return merged
}

function slotMsAt(ageMs: number): number {
  if (ageMs < hourMs) return minuteMs
  if (ageMs < dayMs) return 10 * minuteMs
  return ageMs < 7 * dayMs ? hourMs : dayMs
}

/** Returns the sum of a window that ends now. An amount signed exactly the window's length ago is outside. */
export function sumOf(
  amounts: readonly Amount[],
  { nowMs, durationMs }: { nowMs: number; durationMs: number },
): bigint {
  return amounts.reduce((sum, { atMs, amount }) => (nowMs - atMs < durationMs ? sum + amount : sum), 0n)
}
