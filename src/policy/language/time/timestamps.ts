const form = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?(?:Z|[+-]00:00)$/i

/**
 * Reads a time of RFC 3339 with the offset zero, a `T` between date and time and at most three digits after the second:
 * `2026-03-01T00:00:00Z`. Returns milliseconds since 1970. Undefined for anything else, leap seconds included.
 */
export function parseTimestamp(text: string): number | undefined {
  const [, toSecond = '', fraction = ''] = form.exec(text) ?? []
  const canonical = `${toSecond.toUpperCase()}.${fraction.padEnd(3, '0')}Z`
  // biome-ignore lint/style/noRestrictedGlobals: this is how a time is read, no clock is read
  const time = new Date(canonical)
  // `Date` reads 30 February as 2 March, and 24:00 as the next day.
  return time.toJSON() === canonical ? time.getTime() : undefined
}
