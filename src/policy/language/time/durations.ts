export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** The longest window. */
export const durationMsMax = 7 * dayMs
const units = [
  ['d', dayMs],
  ['h', hourMs],
  ['m', minuteMs],
] as const

/**
 * Reads whole days, hours and minutes in this order, each at most once: `8h`, `90m`, `1d12h`. Returns milliseconds.
 * Undefined for anything else, for zero, and for more than seven days.
 */
export function parseDuration(text: string): number | undefined {
  let rest = text
  let durationMs = 0
  for (const [unit, unitMs] of units) {
    const at = rest.indexOf(unit)
    if (at === -1) continue
    const count = parseWholeNumber(rest.slice(0, at), 6)
    if (count === undefined) return undefined
    durationMs += count * unitMs
    rest = rest.slice(at + 1)
  }
  return rest === '' && durationMs > 0 && durationMs <= durationMsMax ? durationMs : undefined
}

/** Reads decimal digits only, at least one. */
export function parseWholeNumber(text: string, digitsMax: number): number | undefined {
  return text.length <= digitsMax && /^[0-9]+$/.test(text) ? Number(text) : undefined
}
