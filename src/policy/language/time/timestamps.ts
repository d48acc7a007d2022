import { dayMs, daysInMonth, daysSince1970, hourMs, minuteMs } from './calendar.ts'
import { parseWholeNumber } from './durations.ts'

const zeroOffsets = ['Z', 'z', '+00:00', '-00:00']

/**
 * Reads a time of RFC 3339 with the offset zero, a `T` between date and time and at most three digits after the second:
 * `2026-03-01T00:00:00Z`. Returns milliseconds since 1970. Undefined for anything else, leap seconds included.
 */
export function parseTimestamp(text: string): number | undefined {
  const secondsEnd = 'YYYY-MM-DDTHH:MM:SS'.length
  const [date, time] = [text.slice(0, 10), text.slice(11, secondsEnd)]
  if (!['T', 't'].includes(text.charAt(10))) return undefined
  const [year, month, dayOfMonth] = digitGroups(date, '-', [4, 2, 2]) ?? []
  const [hour, minute, second] = digitGroups(time, ':', [2, 2, 2]) ?? []
  const fractionMs = parseFraction(text.slice(secondsEnd))
  if (year === undefined || month === undefined || dayOfMonth === undefined || fractionMs === undefined)
    return undefined
  if (hour === undefined || minute === undefined || second === undefined) return undefined
  if (month < 1 || month > 12 || dayOfMonth < 1 || dayOfMonth > daysInMonth(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const days = daysSince1970({ year, month, dayOfMonth })
  return days * dayMs + hour * hourMs + minute * minuteMs + second * 1000 + fractionMs
}

/** Reads the text after the seconds, which is an optional fraction and the offset. Returns milliseconds. */
function parseFraction(text: string): number | undefined {
  const offset = zeroOffsets.find((each) => text.endsWith(each))
  if (offset === undefined) return undefined
  const fraction = text.slice(0, -offset.length)
  if (fraction === '') return 0
  const digits = fraction.slice(1)
  return fraction.startsWith('.') && digits.length >= 1 ? parseWholeNumber(digits.padEnd(3, '0'), 3) : undefined
}

function digitGroups(text: string, separator: string, lengths: readonly number[]): readonly number[] | undefined {
  const groups = text.split(separator)
  if (groups.length !== lengths.length) return undefined
  const numbers = groups.map((group, index) =>
    group.length === lengths[index] ? parseWholeNumber(group, group.length) : undefined,
  )
  return numbers.every((number) => number !== undefined) ? numbers : undefined
}
