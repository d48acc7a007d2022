import type { Steps } from '../../../protocol/tools/steps.ts'
import type { CronSpan } from './cron_span.ts'
import { dayMs, minuteMs } from './durations.ts'
import { type Day, firesOn } from './open_windows.ts'

const minutesOfDay = dayMs / minuteMs

/** More than clocks are ever changed by. */
const changeMinutes = 180

/** More kinds of days are not judged: each takes the minutes of a day. */
const kindsOfDaysMax = 400

/** So many kinds of days are looked at between two pauses. */
const kindsInARow = 100

/** After 28 years each date is on the same day of the week again, except beside a year such as 2100. */
const yearsOfCycle = 28

/** Whether some of the spans, told in their order, may be open while the others are closed. */
export type MayBeOpen = (areOpen: readonly boolean[]) => boolean

/**
 * Looks at each day of the calendar for spans of one zone, by the wall clock. Where the clocks change, a window is later
 * or ends at another time. `zones`: how many are judged together, which share the kinds of days.
 */
export function* spansTogether(spans: readonly CronSpan[], zones = 1): Steps<MayBeOpen> {
  const ofSpans: Windows[] = []
  for (const span of spans) {
    ofSpans.push(windowsOf(span))
    yield
  }
  const kinds = kindsOfDays(ofSpans)
  if (kinds.length > kindsOfDaysMax / zones) return () => true
  const seen = new Set<number>()
  const states = new Int32Array(minutesOfDay)
  for (const [done, at] of kinds.entries()) {
    if (done % kindsInARow === 0) yield
    states.fill(0)
    for (const [index, { kinds: own, statesIn }] of ofSpans.entries()) {
      const minutes = statesIn(own[at] ?? 0)
      for (let minute = 0; minute < minutesOfDay; minute++)
        states[minute] = (states[minute] ?? 0) | ((minutes[minute] ?? 0) << (2 * index))
    }
    let last = -1
    for (const state of states) {
      if (state !== last) seen.add(state)
      last = state
    }
  }
  return (areOpen) =>
    [...seen].some((state) =>
      areOpen.every((isOpen, index) => {
        const own = state >> (2 * index)
        return isOpen ? (own & perhaps) !== 0 : (own & certainly) === 0
      }),
    )
}

/** One day of each kind. */
function kindsOfDays(ofSpans: readonly Windows[]): readonly number[] {
  let classes = new Int32Array(days.length)
  let firsts: number[] = [0]
  for (const { kinds } of ofSpans) {
    const known = new Map<number, number>()
    firsts = []
    classes = classes.map((before, at) => {
      const key = before * 2 ** 16 + (kinds[at] ?? 0)
      const found = known.get(key) ?? firsts.length
      if (found === firsts.length) {
        known.set(key, found)
        firsts.push(at)
      }
      return found
    })
  }
  return firsts
}

/** Whether a span is open at a minute. */
const [perhaps, certainly] = [1, 2]

/** `kinds`: for each day, a bit for each day around it on which the span fires. `statesIn`: the minutes of such a day. */
type Windows = { readonly kinds: Int32Array; readonly statesIn: (kind: number) => Uint8Array }

function windowsOf(span: CronSpan): Windows {
  const { schedule, durationMs, zone } = span
  const change = zone === 'UTC' ? 0 : changeMinutes
  const last = (schedule.timesMs.at(-1) ?? 0) + durationMs + change * minuteMs
  // The first day of which a window may last into this one, and the last day that may begin early in it.
  const daysBefore = Math.floor(last / dayMs)
  const around = Array.from({ length: daysBefore + 2 }, (_, index) => index - daysBefore)
  const ofDays = around.map((day) => {
    const minutes = new Uint8Array(minutesOfDay)
    addOpen(span, { day, widerBy: change, bit: perhaps }, minutes)
    addOpen(span, { day, widerBy: -change, bit: certainly }, minutes)
    return minutes
  })
  const known = new Map<number, Uint8Array>()
  const statesIn = (kind: number) => {
    const before = known.get(kind)
    if (before !== undefined) return before
    const minutes = new Uint8Array(minutesOfDay)
    for (const [index, ofDay] of ofDays.entries()) {
      if (((kind >> index) & 1) === 0) continue
      for (let minute = 0; minute < minutesOfDay; minute++)
        minutes[minute] = (minutes[minute] ?? 0) | (ofDay[minute] ?? 0)
    }
    known.set(kind, minutes)
    return minutes
  }
  return { kinds: kindsOf(schedule, daysBefore), statesIn }
}

/** Marks the minutes of a day in which windows are open that begin on a day around it. */
function addOpen(
  { schedule, durationMs }: CronSpan,
  { day, widerBy, bit }: { readonly day: number; readonly widerBy: number; readonly bit: number },
  minutes: Uint8Array,
): void {
  const length = durationMs / minuteMs + 2 * widerBy
  let next = 0
  for (const timeMs of schedule.timesMs) {
    const begin = day * minutesOfDay + timeMs / minuteMs - widerBy
    const end = Math.min(begin + length, minutesOfDay)
    // The times ascend, so that no minute is marked twice.
    for (let minute = Math.max(begin, next); minute < end; minute++) minutes[minute] = (minutes[minute] ?? 0) | bit
    next = Math.max(next, end)
  }
}

function kindsOf(schedule: CronSpan['schedule'], daysBefore: number): Int32Array {
  const fires = days.map((day) => firesOn(schedule, day))
  const last = daysBefore + 1
  const bitAt = (at: number, bit: number) => (fires.at((at + bit - daysBefore) % days.length) === true ? 1 << bit : 0)
  let kind = 0
  for (let bit = 0; bit <= last; bit++) kind |= bitAt(-1, bit)
  return Int32Array.from(fires, (_, at) => {
    kind = (kind >> 1) | bitAt(at, last)
    return kind
  })
}

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The days of the cycle, after which it begins again. */
const days: readonly Day[] = Array.from({ length: yearsOfCycle }, (_, year) =>
  daysOfMonths.flatMap((count, index) =>
    Array.from({ length: index === 1 && year % 4 === 0 ? count + 1 : count }, (_, before) => ({
      month: index + 1,
      day: before + 1,
    })),
  ),
)
  .flat()
  .map((date, index) => ({ ...date, weekday: index % 7 }))
