import { strict as assert } from 'node:assert'
import { dayMs, daysSince1970, hourMs, minuteMs } from './calendar.ts'

/** Local time is UTC plus `offsetMs`, from `startMs` to before `endMs`. */
type Stretch = { readonly startMs: number; readonly endMs: number; readonly offsetMs: number }
/** Consecutive stretches. The first has no start, and the last has no end. */
type Stretches = readonly Stretch[]

export type TimeZone = {
  /** Local time minus UTC at an instant, in milliseconds. */
  readonly offsetMsAt: (timeMs: number) => number
}

/** Returns a zone of the IANA database; undefined if this Node has no zone of that name. */
export function findTimeZone(name: string): TimeZone | undefined {
  // Intl also takes offsets such as +02:00, which have no daylight saving.
  const first = name.charAt(0).toLowerCase()
  if (first < 'a' || first > 'z') return undefined
  const format = formatOf(name)
  return format === undefined ? undefined : { offsetMsAt: (timeMs) => offsetMsOf(format, timeMs) }
}

/**
 * Returns a function from local times (milliseconds since 1970 on the wall clock) to instants, for instants between the
 * two given ones. As in RFC 5545, 3.3.5, a local time that the clocks skip is read with the offset before the jump: the
 * clock shows the instant of 02:30 as 03:30. A local time that occurs twice means the first occurrence.
 */
export function instantsBetween(zone: TimeZone, fromMs: number, toMs: number): (localMs: number) => number {
  const stretches = knownStretches(zone, fromMs, toMs)
  return (localMs) => {
    const at = stretches.findIndex(({ offsetMs, endMs }) => localMs - offsetMs < endMs)
    const [before, stretch] = [stretches[at - 1], stretches[at]]
    assert(stretch !== undefined, 'the last stretch has no end')
    const isSkipped = before !== undefined && localMs - stretch.offsetMs < stretch.startMs
    return localMs - (isSkipped ? before : stretch).offsetMs
  }
}

/** A cache of each zone's last stretches, since asking a zone takes long and requests follow soon on one another. */
const known = new WeakMap<TimeZone, { readonly fromMs: number; readonly toMs: number; readonly stretches: Stretches }>()

function knownStretches(zone: TimeZone, fromMs: number, toMs: number): Stretches {
  const last = known.get(zone)
  if (last !== undefined && last.fromMs <= fromMs && toMs <= last.toMs) return last.stretches
  // One more day on both sides, so that the zone is asked again only a day later.
  const wider = { fromMs: fromMs - dayMs, toMs: toMs + dayMs }
  const stretches = stretchesBetween(zone, wider.fromMs, wider.toMs)
  known.set(zone, { ...wider, stretches })
  return stretches
}

/** No zone has changed its clocks twice within so short a time in decades. */
const stepMs = 6 * hourMs

function stretchesBetween(zone: TimeZone, fromMs: number, toMs: number): Stretches {
  const stretches: Stretch[] = []
  let startMs = Number.NEGATIVE_INFINITY
  let offsetMs = zone.offsetMsAt(fromMs)
  for (let timeMs = fromMs; timeMs < toMs; timeMs += stepMs) {
    const nextMs = timeMs + stepMs
    const nextOffsetMs = zone.offsetMsAt(nextMs)
    if (nextOffsetMs === offsetMs) continue
    const endMs = changeBetween(zone, timeMs, nextMs)
    stretches.push({ startMs, endMs, offsetMs })
    startMs = endMs
    offsetMs = nextOffsetMs
  }
  return [...stretches, { startMs, endMs: Number.POSITIVE_INFINITY, offsetMs }]
}

/** The first instant that has the offset of `toMs`, where `fromMs` has another. */
function changeBetween(zone: TimeZone, fromMs: number, toMs: number): number {
  const offsetMs = zone.offsetMsAt(toMs)
  let [before, after] = [fromMs, toMs]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (zone.offsetMsAt(middle) === offsetMs) after = middle
    else before = middle
  }
  return after
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function offsetMsOf(format: Intl.DateTimeFormat, timeMs: number): number {
  const wholeSecondMs = Math.floor(timeMs / 1000) * 1000
  const parts = new Map(format.formatToParts(wholeSecondMs).map(({ type, value }) => [type, value]))
  const numberOf = (part: Intl.DateTimeFormatPartTypes) => Number(parts.get(part))
  const day = { year: numberOf('year'), month: numberOf('month'), dayOfMonth: numberOf('day') }
  const localMs =
    daysSince1970(day) * dayMs + numberOf('hour') * hourMs + numberOf('minute') * minuteMs + numberOf('second') * 1000
  assert(Number.isFinite(localMs), 'a formatted time has all its parts')
  return localMs - wholeSecondMs
}
