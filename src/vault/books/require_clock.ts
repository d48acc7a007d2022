import { UnsealError } from '../keys/wrapped_seed.ts'

/** How far the clock may be behind the last entry of the journal. */
const clockBehindMsMax = 5 * 60 * 1000

/** Throws `UnsealError` if the clock is more than five minutes behind the last entry of the journal. */
export function requireClock(startedMs: number, lastMs: number, directory: string): void {
  if (startedMs >= lastMs - clockBehindMsMax) return
  const [now, last] = [startedMs, lastMs].map((ms) => new Date(ms).toISOString())
  throw new UnsealError(
    `the clock says ${now}, but the journal in ${directory} was last written at ${last}: set the clock, then start again`,
  )
}
