import { inLargestUnit } from '../../../src/contract/explanation/texts/durations.ts'
import { useSpoken } from '../texts/texts.tsx'

export type Timestamp = { readonly seconds: string; readonly nanos: string }

/** A time in the reader's zone. Its title says it to the second, with the zone. */
export function Time({ of }: { readonly of: Timestamp | string | number }) {
  const { language } = useSpoken()
  const date = dateOf(of)
  const short = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(date)
  const long = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long' }).format(date)
  return (
    <time dateTime={date.toISOString()} title={long} className="time">
      {short}
    </time>
  )
}

/** Such as `10 minutes`. */
export function Duration({ seconds }: { readonly seconds: number }) {
  const { language } = useSpoken()
  const { count, unit } = inLargestUnit(seconds)
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}

/** An RFC 3339 text, milliseconds, or what records have: seconds and nanoseconds. */
export function dateOf(of: Timestamp | string | number): Date {
  return new Date(typeof of === 'object' ? Number(of.seconds) * 1_000 + Number(of.nanos) / 1_000_000 : of)
}
