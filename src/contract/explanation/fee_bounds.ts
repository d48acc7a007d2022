import type { Value } from './explanation.ts'

/**
 * In the coin's smallest unit. Nobody is warned of a fee up to `small`, whatever it is a part of. A fee above
 * `great` is a warning where the transaction sends nothing of the coin.
 */
export type FeeBounds = { readonly small: bigint; readonly great: bigint }

const [milliether, ether] = [10n ** 15n, 10n ** 18n]

/** By the smallest unit of the coin. */
export const feeBounds = {
  lamport: { small: 500_000n, great: 10_000_000n },
  sun: { small: 20_000_000n, great: 200_000_000n },
  satoshi: { small: 10_000n, great: 100_000n },
  wei: { small: milliether, great: 50n * milliether },
} as const satisfies Readonly<Record<string, FeeBounds>>

/** The coins of Ethereum's kind that are worth much less than ether. */
const otherFees: ReadonlyMap<string, FeeBounds> = new Map([
  ['BNB', { small: 5n * milliether, great: 200n * milliether }],
  ['AVAX', { small: 100n * milliether, great: 5n * ether }],
  ...['XDAI', 'POL', 'MNT', 'CELO'].map((unit) => [unit, { small: ether, great: 20n * ether }] as const),
])

/** The bounds of a coin of Ethereum's kind. One that is not known may be worth as much as ether. */
export function weiFeesIn(unit: string | undefined): FeeBounds {
  return otherFees.get(unit ?? '') ?? feeBounds.wei
}

/** The bounds of the coin of a chain that an amount is of. None for a token. */
export function feeBoundsOf({
  smallestUnit,
  unit,
}: Extract<Value, { readonly kind: 'amount' }>): FeeBounds | undefined {
  if (smallestUnit === 'wei') return weiFeesIn(unit)
  return Object.entries(feeBounds).find(([coin]) => coin === smallestUnit)?.[1]
}
