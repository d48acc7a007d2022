import { hourMs, minuteMs, parseDuration } from './durations.ts'

/**
 * Windows of `durationMs`, each from a time at which the schedule fires, by the wall clock of the zone. Temporal knows
 * `zone`.
 */
export type CronSpan = { readonly schedule: Schedule; readonly durationMs: number; readonly zone: string }

export type Schedule = {
  /** Times since midnight, in milliseconds, ascending. */
  readonly timesMs: readonly number[]
  readonly months: readonly number[]
  /** Undefined if not restricted. */
  readonly daysOfMonth: readonly number[] | undefined
  readonly weekdays: readonly number[] | undefined
}

/** The expected form of each argument: templates of messages. */
export const expectedForms = {
  cron: 'five fields: minute (0-59), hour (0-23), day of month (1-31), month (1-12), day of week (0-6, 0 is Sunday); numbers, ranges, lists and * only',
  date: 'a schedule that fires at least once: no month named here has such a day',
  duration: "whole days, hours and minutes up to 7 days, such as '8h', '90m' or '1d12h'",
  zone: "the name of an IANA time zone, such as 'Europe/Berlin' or 'UTC'",
}

/** Returns the arguments of `CronSpan`, or the index of the first wrong one and its expected form. */
export function parseCronSpan(
  texts: readonly [string, string, string],
): CronSpan | { readonly wrong: 0 | 1 | 2; readonly expected: string } {
  const [cron, duration, zoneName] = texts
  const schedule = parseSchedule(cron)
  if (schedule === undefined) return { wrong: 0, expected: expectedForms.cron }
  if (!fires(schedule)) return { wrong: 0, expected: expectedForms.date }
  const durationMs = parseDuration(duration)
  if (durationMs === undefined) return { wrong: 1, expected: expectedForms.duration }
  const zone = findTimeZone(zoneName)
  if (zone === undefined) return { wrong: 2, expected: expectedForms.zone }
  return { schedule, durationMs, zone }
}

function fires({ months, daysOfMonth, weekdays }: Schedule): boolean {
  if (daysOfMonth === undefined || weekdays !== undefined) return true
  return months.some((month) => daysOfMonth.some((dayOfMonth) => dayOfMonth <= daysInMonthMax(month)))
}

function daysInMonthMax(month: number): number {
  if (month === 2) return 29
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/**
 * Returns the name under which Intl keeps a zone of the IANA database; undefined if there is no zone of that name.
 * Temporal is not asked, because not every browser has it.
 */
export function findTimeZone(name: string): string | undefined {
  // Intl also takes offsets such as +02:00, which have no daylight saving.
  if (!/^[a-z]/i.test(name)) return undefined
  const timeZone = intlName(name)
  // Intl has these names of its own. They are not in the IANA database, and Temporal does not know them.
  return timeZone?.startsWith('SystemV/') ? undefined : timeZone
}

function intlName(timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone }).resolvedOptions().timeZone
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function parseSchedule(text: string): Schedule | undefined {
  const [minute, hour, dayOfMonth, month, weekday, ...more] = text.split(' ').filter((field) => field !== '')
  const minutes = parseField(minute, 0, 59)
  const hours = parseField(hour, 0, 23)
  const months = parseField(month, 1, 12)
  const daysOfMonth = parseField(dayOfMonth, 1, 31)
  const weekdays = parseField(weekday, 0, 6)
  if (minutes === undefined || hours === undefined || months === undefined) return undefined
  if (daysOfMonth === undefined || weekdays === undefined || more.length > 0) return undefined
  return {
    timesMs: hours.flatMap((each) => minutes.map((other) => each * hourMs + other * minuteMs)),
    months,
    daysOfMonth: dayOfMonth === '*' ? undefined : daysOfMonth,
    weekdays: weekday === '*' ? undefined : weekdays,
  }
}

/** Reads `*`, or numbers and ranges with commas between. Returns them ascending, each once. */
function parseField(text: string | undefined, min: number, max: number): readonly number[] | undefined {
  if (text === undefined) return undefined
  const every = Array.from({ length: max - min + 1 }, (_, index) => min + index)
  if (text === '*') return every
  const ranges = text.split(',').map((part) => {
    const ends = part.split('-').map((number) => (/^[0-9]{1,2}$/.test(number) ? Number(number) : undefined))
    const [from, to] = [ends.at(0), ends.at(-1)]
    const isRange = ends.length <= 2 && isInRange(from, min, max) && isInRange(to, min, max) && from <= to
    return isRange ? { from, to } : undefined
  })
  if (ranges.includes(undefined)) return undefined
  return every.filter((number) => ranges.some((range) => range && range.from <= number && number <= range.to))
}

function isInRange(number: number | undefined, min: number, max: number): number is number {
  return number !== undefined && number >= min && number <= max
}
