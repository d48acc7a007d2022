import type { CronSpan, Schedule } from './cron_span.ts'
import { dayMs } from './durations.ts'

/** Whether `nowMs` is in a window, which includes its start and excludes its end. */
export function isWithin(span: CronSpan, nowMs: number): boolean {
  const { midnightsMs, offsets } = daysAround(span, Math.floor(nowMs / dayMs))
  return midnightsMs.some((midnightMs) =>
    span.schedule.timesMs.some((timeMs) => {
      const elapsedMs = nowMs - instantOf(midnightMs + timeMs, offsets)
      return elapsedMs >= 0 && elapsedMs < span.durationMs
    }),
  )
}

/** Days are counted from 1970. Local times are milliseconds since 1970 on the wall clock. */
type DaysAround = {
  /** In UTC. */
  readonly today: number
  /** The local times at which the days begin on which the schedule fires, the latest first. */
  readonly midnightsMs: readonly number[]
  readonly offsets: readonly Offset[]
}

/** Local time minus UTC, for local times from `fromLocalMs` until the next offset. */
type Offset = { readonly fromLocalMs: number; readonly offsetMs: number }

/** The last answer for each span. Requests follow soon on one another, and asking Temporal takes 30 µs. */
const known = new WeakMap<CronSpan, DaysAround>()

/** The midnights and offsets that tell which windows are open at a time of this day. */
function daysAround(span: CronSpan, today: number): DaysAround {
  const last = known.get(span)
  if (last?.today === today) return last
  // Local time differs from UTC by less than a day.
  const [first, latest] = [today - 1 - Math.ceil(span.durationMs / dayMs), today + 1]
  const days = Array.from({ length: latest - first + 1 }, (_, index) => latest - index)
  const around = {
    today,
    midnightsMs: days.filter((day) => firesOn(span.schedule, dayAfter1970(day))).map((day) => day * dayMs),
    // A clock has skipped a day at most, and its offset before counts on that day.
    offsets: offsetsBetween(span.zone, (first - 2) * dayMs, (latest + 2) * dayMs),
  }
  known.set(span, around)
  return around
}

/** A day of the calendar. `weekday`: 0 is Sunday. */
export type Day = { readonly month: number; readonly day: number; readonly weekday: number }

/** If both kinds of days are restricted, one match is enough, as always with cron. */
export function firesOn({ months, daysOfMonth, weekdays }: Schedule, { month, day, weekday }: Day): boolean {
  if (!months.includes(month)) return false
  const isDayOfMonth = daysOfMonth?.includes(day)
  const isWeekday = weekdays?.includes(weekday)
  if (isDayOfMonth === undefined || isWeekday === undefined) return isDayOfMonth ?? isWeekday ?? true
  return isDayOfMonth || isWeekday
}

function dayAfter1970(days: number): Day {
  const { month, day, dayOfWeek } = timeIn('UTC', days * dayMs)
  return { month, day, weekday: dayOfWeek % 7 }
}

function instantOf(localMs: number, offsets: readonly Offset[]): number {
  const { offsetMs } = offsets.reduce((last, next) => (next.fromLocalMs <= localMs ? next : last))
  return localMs - offsetMs
}

/**
 * As in RFC 5545, 3.3.5, a local time that the clocks skip is read with the offset before the jump: the clock shows the
 * instant of 02:30 as 03:30. A local time that occurs twice means the first occurrence. So the offset before counts as
 * long as either clock shows an earlier time than at the change.
 */
function offsetsBetween(zone: string, fromMs: number, toMs: number): readonly Offset[] {
  const start = timeIn(zone, fromMs)
  let offsetMs = start.offsetNanoseconds / 1e6
  const offsets = [{ fromLocalMs: Number.NEGATIVE_INFINITY, offsetMs }]
  let change = start.getTimeZoneTransition('next')
  while (change !== null && change.epochMilliseconds < toMs) {
    const beforeMs = offsetMs
    offsetMs = change.offsetNanoseconds / 1e6
    offsets.push({ fromLocalMs: change.epochMilliseconds + Math.max(beforeMs, offsetMs), offsetMs })
    change = change.getTimeZoneTransition('next')
  }
  return offsets
}

function timeIn(zone: string, timeMs: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(timeMs).toZonedDateTimeISO(zone)
}
