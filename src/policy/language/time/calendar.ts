/** The proleptic Gregorian calendar (ISO 8601). Times are milliseconds since 1970-01-01T00:00Z without leap seconds. */
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

export type Day = {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  /** 1 to 31. */
  readonly dayOfMonth: number
}

/** Days since 1970-01-01. */
export function daysSince1970({ year, month, dayOfMonth }: Day): number {
  // A year that begins in March has its leap day at the end, so the months before it have fixed lengths.
  const marchYear = month > 2 ? year : year - 1
  const monthsSinceMarch = (month + 9) % 12
  const daysBeforeMonth = Math.floor((153 * monthsSinceMarch + 2) / 5)
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400)
  const daysFromYear0ToMarch1970 = 719_468
  return 365 * marchYear + leapDays + daysBeforeMonth + dayOfMonth - 1 - daysFromYear0ToMarch1970
}

/** The inverse of `daysSince1970`. */
export function dayOf(daysAfter1970: number): Day {
  // A first guess by the mean length of a year is off by at most one year.
  const guess = 1970 + Math.floor(daysAfter1970 / 365.2425)
  const year = [guess + 1, guess].find((each) => firstOfYear(each) <= daysAfter1970) ?? guess - 1
  const dayOfYear = daysAfter1970 - firstOfYear(year)
  let month = 1
  let firstOfMonth = 0
  while (dayOfYear >= firstOfMonth + daysInMonth(year, month)) {
    firstOfMonth += daysInMonth(year, month)
    month += 1
  }
  return { year, month, dayOfMonth: dayOfYear - firstOfMonth + 1 }
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** 0 is Sunday. */
export function weekdayOf(daysAfter1970: number): number {
  const thursday = 4
  return (((daysAfter1970 + thursday) % 7) + 7) % 7
}

function firstOfYear(year: number): number {
  return daysSince1970({ year, month: 1, dayOfMonth: 1 })
}
