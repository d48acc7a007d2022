const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** A duration in the largest unit that divides it. */
export function inLargestUnit(seconds: number): {
  readonly count: number
  readonly unit: 'day' | 'hour' | 'minute' | 'second'
} {
  const [unit, size] = units.find(([, each]) => seconds % each === 0) ?? ['second', 1]
  return { count: seconds / size, unit }
}

/** A duration in words, such as `15 minutes` or `1 hour`. */
export function durationText(seconds: number): string {
  const { count, unit } = inLargestUnit(seconds)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
