/** The number `units` / 10^`decimals`. */
export type Decimal = { readonly units: bigint; readonly decimals: number }

/** The largest numbers that programs print without a loss have 309 digits, and the smallest about as many decimals. */
const powerMax = 400
const charactersMax = 1_000

const hexText = /^0x[0-9a-f]{1,64}$/i
/** `+1000000.0`, `.5` and `1.5e+21`. */
const decimalText = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:e([+-]?[0-9]{1,3}))?$/i

/**
 * The number that a text says: digits, also with a plus, zeros before them, decimals, an exponent or blanks around, or
 * hex with `0x` of 256 bits. Undefined if it says none, or one that only some readers know, such as `1,000`.
 */
export function numberIn(text: string): Decimal | undefined {
  if (text.length > charactersMax) return undefined
  if (hexText.test(text)) return { units: BigInt(text), decimals: 0 }
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = decimalText.exec(text.trim()) ?? []
  if (whole === '' && fraction === '') return undefined
  const decimals = fraction.length - Number(exponent)
  if (Math.abs(decimals) > powerMax) return undefined
  const units = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n)
  return simplest({ units: units * power(-decimals), decimals: Math.max(decimals, 0) })
}

/** -1, 0 or 1, as the first number is less, the same or greater. */
export function comparedNumbers(one: Decimal, other: Decimal): number {
  const difference = one.units * power(other.decimals) - other.units * power(one.decimals)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** An integer has no decimals. */
function simplest({ units, decimals }: Decimal): Decimal {
  const whole = units / power(decimals)
  return whole * power(decimals) === units ? { units: whole, decimals: 0 } : { units, decimals }
}

/** 1 for an exponent below 0. */
function power(exponent: number): bigint {
  return exponent > 0 ? 10n ** BigInt(exponent) : 1n
}
