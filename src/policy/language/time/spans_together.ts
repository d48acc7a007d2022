import type { CronSpan } from './cron_span.ts'
import { dayMs, minuteMs } from './durations.ts'
import { type Day, firesOn } from './open_windows.ts'

const minutesOfDay = dayMs / minuteMs

/** More than clocks are ever changed by. */
const changeMinutes = 180

/** More kinds of days are not judged: each takes the minutes of a day. */
const kindsOfDaysMax = 400

/** After 28 years each date is on the same day of the week again, except beside a year such as 2100. */
const yearsOfCycle = 28

/** Whether some of the spans, told in their order, may be open while the others are closed. */
export type MayBeOpen = (areOpen: readonly boolean[]) => boolean

/**
 * Looks at each day of the calendar for spans of one zone, by the wall clock. Where the clocks change, a window is later
 * or ends at another time.
 */
export function spansTogether(spans: readonly CronSpan[]): MayBeOpen {
  const ofSpans = spans.map(windowsOf)
  const kinds = new Map(days.map((_, at) => ofSpans.map(({ kindOf }) => kindOf(at))).map((kind) => [kind.join(), kind]))
  if (kinds.size > kindsOfDaysMax) return () => true
  const states = new Set<number>()
  for (const kind of kinds.values()) {
    const ofDay = ofSpans.map(({ statesIn }, index) => statesIn(kind[index] ?? 0))
    for (let minute = 0; minute < minutesOfDay; minute++)
      states.add(ofDay.reduce((all, minutes, index) => all | ((minutes[minute] ?? 0) << (2 * index)), 0))
  }
  return (areOpen) =>
    [...states].some((state) =>
      areOpen.every((isOpen, index) => {
        const own = state >> (2 * index)
        return isOpen ? (own & perhaps) !== 0 : (own & certainly) === 0
      }),
    )
}

/** Whether a span is open at a minute. */
const [perhaps, certainly] = [1, 2]

/** `kindOf`: a bit for each day around one on which the span fires. `statesIn`: the minutes of a day of this kind. */
type Windows = { readonly kindOf: (at: number) => number; readonly statesIn: (kind: number) => Uint8Array }

function windowsOf({ schedule, durationMs, zone }: CronSpan): Windows {
  const change = zone === 'UTC' ? 0 : changeMinutes
  const fires = days.map((day) => firesOn(schedule, day))
  const last = (schedule.timesMs.at(-1) ?? 0) + durationMs + change * minuteMs
  // The first day of which a window may last into this one, and the last day that may begin early in it.
  const daysBefore = Math.floor(last / dayMs)
  const around = Array.from({ length: daysBefore + 2 }, (_, index) => index - daysBefore)
  const times = new Set(schedule.timesMs.map((timeMs) => timeMs / minuteMs))
  const openIn = (kind: number, widerBy: number, minutes: Uint8Array, bit: number) => {
    let leftMinutes = 0
    for (let minute = -daysBefore * minutesOfDay; minute < minutesOfDay; minute++) {
      const day = Math.floor((minute + widerBy) / minutesOfDay)
      const begins = ((kind >> (day + daysBefore)) & 1) === 1 && times.has(minute + widerBy - day * minutesOfDay)
      leftMinutes = begins ? durationMs / minuteMs + 2 * widerBy : leftMinutes - 1
      if (minute >= 0 && leftMinutes > 0) minutes[minute] = (minutes[minute] ?? 0) | bit
    }
  }
  const known = new Map<number, Uint8Array>()
  return {
    kindOf: (at) =>
      around.reduce((kind, day, bit) => (fires.at((at + day) % days.length) === true ? kind | (1 << bit) : kind), 0),
    statesIn: (kind) => {
      const minutes = known.get(kind) ?? new Uint8Array(minutesOfDay)
      if (!known.has(kind)) {
        openIn(kind, change, minutes, perhaps)
        openIn(kind, -change, minutes, certainly)
      }
      known.set(kind, minutes)
      return minutes
    },
  }
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
