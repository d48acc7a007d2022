import { bytesInAddress, canonicalSolanaKey } from '../../../protocol/chains/canonical_address.ts'

/**
 * The values that something may have. `except`: all texts but these. Spans of numbers are in order, do not overlap, and
 * are open where an end is undefined.
 */
export type Values =
  | { readonly among: ReadonlySet<string> }
  | { readonly except: ReadonlySet<string> }
  | { readonly spans: readonly Span[] }
type Span = { readonly min: bigint | undefined; readonly max: bigint | undefined }

export const textsAmong = (texts: readonly (string | boolean)[]): Values => ({ among: new Set(texts.map(sameFor)) })
export const numbersFrom = (min: bigint | undefined, max: bigint | undefined): Values => ({ spans: [{ min, max }] })
export const numbersAmong = (numbers: readonly bigint[]): Values => ({
  spans: [...new Set(numbers)].toSorted((a, b) => (a < b ? -1 : 1)).map((one) => ({ min: one, max: one })),
})

/** One text for all that the evaluation may take for equal: hex with `0x`, and a key or an address with its 32 bytes in hex. */
function sameFor(value: string | boolean): string {
  if (typeof value === 'boolean') return String(value)
  const bytes = /^(0x)?[0-9a-f]{64}$/i.test(value) ? value : bytesInAddress(value)
  if (bytes !== undefined) return canonicalSolanaKey(bytes) ?? value
  return /^0x[0-9a-f]*$/i.test(value) ? value.toLowerCase() : value
}

export function isNone(values: Values): boolean {
  if ('spans' in values) return values.spans.length === 0
  return 'among' in values && values.among.size === 0
}

export function allBut(values: Values): Values {
  if ('among' in values) return { except: values.among }
  if ('except' in values) return { among: values.except }
  const { spans } = values
  const ends = [undefined, ...spans.map(({ max }) => max)]
  const between = ends.flatMap((end, index): readonly Span[] => {
    const next = spans[index]
    if ((index > 0 && end === undefined) || (next !== undefined && next.min === undefined)) return []
    const [min, max] = [end === undefined ? undefined : end + 1n, next?.min === undefined ? undefined : next.min - 1n]
    return isSpan({ min, max }) ? [{ min, max }] : []
  })
  return { spans: between }
}

/** Each text and each number. */
export const everything: Values = { except: new Set() }

/** The values that are among both. */
export function both(one: Values, other: Values): Values {
  if (one === everything || other === everything) return one === everything ? other : one
  if ('spans' in one || 'spans' in other) {
    // No place has texts and numbers.
    if (!('spans' in one) || !('spans' in other)) return everything
    return { spans: overlapsOf(one.spans, other.spans) }
  }
  if ('among' in one) return { among: new Set([...one.among].filter((text) => mayBe(other, text))) }
  return 'among' in other ? both(other, one) : { except: new Set([...one.except, ...other.except]) }
}

/** The values that are among one of them. */
export function either(one: Values, other: Values): Values {
  return allBut(both(allBut(one), allBut(other)))
}

function mayBe(values: Values, text: string): boolean {
  if ('among' in values) return values.among.has(text)
  return !('except' in values) || !values.except.has(text)
}

/** A list has up to 500 numbers, so each span meets only those that begin before it ends. */
function overlapsOf(one: readonly Span[], other: readonly Span[]): readonly Span[] {
  const found: Span[] = []
  let [at, otherAt] = [0, 0]
  for (;;) {
    const [first, second] = [one[at], other[otherAt]]
    if (first === undefined || second === undefined) return found
    const met = overlap(first, second)
    if (isSpan(met)) found.push(met)
    if (first.max !== undefined && (second.max === undefined || first.max < second.max)) at += 1
    else otherAt += 1
  }
}

function overlap(one: Span, other: Span): Span {
  const min = one.min === undefined || (other.min !== undefined && other.min > one.min) ? other.min : one.min
  const max = one.max === undefined || (other.max !== undefined && other.max < one.max) ? other.max : one.max
  return { min, max }
}

function isSpan({ min, max }: Span): boolean {
  return min === undefined || max === undefined || min <= max
}
