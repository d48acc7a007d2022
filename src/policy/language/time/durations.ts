export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** The longest window. */
export const durationMsMax = 7 * dayMs
const form = /^(?:([0-9]{1,6})d)?(?:([0-9]{1,6})h)?(?:([0-9]{1,6})m)?$/

/**
 * Reads whole days, hours and minutes in this order, each at most once: `8h`, `90m`, `1d12h`. Returns milliseconds.
 * Undefined for anything else, for zero, and for more than seven days.
 */
export function parseDuration(text: string): number | undefined {
  const [, days = 0, hours = 0, minutes = 0] = form.exec(text) ?? []
  const durationMs = Number(days) * dayMs + Number(hours) * hourMs + Number(minutes) * minuteMs
  return durationMs > 0 && durationMs <= durationMsMax ? durationMs : undefined
}
