import { dayMs, hourMs, minuteMs } from './language/time/calendar.ts'
import { durationMsMax } from './language/time/durations.ts'

/** What was signed at about one time. */
export type Amount = { readonly atMs: number; readonly amount: bigint }

/**
 * A sum is no more than this: one transaction of an absurd amount, which no chain takes, would else make each expression
 * that adds to it an error, and with an error a policy denies nothing. It leaves room for 2^15 terms.
 */
const sumMax = 2n ** 240n

/**
 * Adds an amount, and merges old ones so that a key which signs all day does not have a list without end: within an hour
 * those of a minute become one, within a day those of ten minutes, within seven days those of an hour, at the time of the
 * latest. So an amount leaves a window late by less than that, and never early, also where a clock was set back. `amounts`
 * are in order of time.
 */
export function withAmount(amounts: readonly Amount[], added: Amount): readonly Amount[] {
  const merged: Amount[] = []
  for (const { atMs, amount } of [...amounts, added].toSorted((one, other) => one.atMs - other.atMs)) {
    const ageMs = added.atMs - atMs
    if (ageMs >= durationMsMax) continue
    const last = merged.at(-1)
    const slotMs = ageMs < hourMs ? minuteMs : ageMs < dayMs ? 10 * minuteMs : hourMs
    if (last !== undefined && Math.floor(last.atMs / slotMs) === Math.floor(atMs / slotMs)) {
      merged[merged.length - 1] = { atMs, amount: last.amount + amount }
    } else merged.push({ atMs, amount })
  }
  return merged
}

/** The window ends now; what was signed exactly its length ago is outside. */
export function sumOf(
  amounts: readonly Amount[],
  { nowMs, durationMs }: { nowMs: number; durationMs: number },
): bigint {
  const sum = amounts.reduce((before, { atMs, amount }) => (nowMs - atMs < durationMs ? before + amount : before), 0n)
  return sum < sumMax ? sum : sumMax
}
