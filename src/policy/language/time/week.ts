import type { CronSpan } from './cron_span.ts'
import { dayMs, minuteMs } from './durations.ts'

const minutesOfDay = dayMs / minuteMs
const minutesOfWeek = 7 * minutesOfDay

/** More than clocks are ever changed by. */
const changeMinutes = 180

type SpanState = { readonly span: CronSpan; readonly isOpen: boolean }

/** Whether some of these spans, all of one zone, may be open while the others are closed. */
export function mayBeOpen(asked: readonly SpanState[]): boolean {
  const minutes = asked.map(({ span, isOpen }) => (isOpen ? openIn(span, 'sometimes') : openIn(span, 'always')))
  return Array.from({ length: minutesOfWeek }, (_, minute) => minute).some((minute) =>
    asked.every(({ isOpen }, index) => minutes[index]?.[minute] === isOpen),
  )
}

/**
 * The minutes of a week, by the wall clock, at which a span is open in some week, or in each. Where the clocks change, a
 * window is later or ends at another time.
 */
function openIn({ schedule, durationMs, zone }: CronSpan, when: 'sometimes' | 'always'): readonly boolean[] {
  const { timesMs, months, daysOfMonth, weekdays } = schedule
  const isWeekly = months.length === 12 && daysOfMonth === undefined
  if (when === 'always' && !isWeekly) return Array.from({ length: minutesOfWeek }, () => false)
  const change = zone === 'UTC' ? 0 : changeMinutes
  const [before, after] = when === 'sometimes' ? [change, change] : [-change, -change]
  const length = durationMs / minuteMs + before + after
  const days = isWeekly && weekdays !== undefined ? weekdays : [0, 1, 2, 3, 4, 5, 6]
  const begins = Array.from({ length: minutesOfWeek }, () => false)
  for (const day of days) {
    for (const timeMs of timesMs) begins[at(day * minutesOfDay + timeMs / minuteMs - before)] = true
  }
  // Two weeks, because a window may go on into the next one.
  let leftMinutes = 0
  const open = Array.from({ length: 2 * minutesOfWeek }, (_, minute) => {
    leftMinutes = begins[at(minute)] ? length : leftMinutes - 1
    return leftMinutes > 0
  })
  return open.slice(minutesOfWeek)
}

function at(minute: number): number {
  return (minute + minutesOfWeek) % minutesOfWeek
}
