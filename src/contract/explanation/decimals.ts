import { withoutEnd } from '../../protocol/tools/without_end.ts'

/** A number of 10^-`decimals` as a decimal without trailing zeros. */
export function decimalOf(smallest: bigint, decimals: number): string {
  const sign = smallest < 0n ? '-' : ''
  const digits = String(smallest < 0n ? -smallest : smallest).padStart(decimals + 1, '0')
  if (decimals === 0) return `${sign}${digits}`
  const fraction = withoutEnd(digits.slice(-decimals), '0')
  return `${sign}${digits.slice(0, -decimals)}${fraction === '' ? '' : `.${fraction}`}`
}

/** The exact sum of two decimals. */
export function decimalSum(one: string, other: string): string {
  const decimals = Math.max(fractionOf(one).length, fractionOf(other).length)
  const scaled = (given: string) => BigInt(`${given.split('.')[0]}${fractionOf(given).padEnd(decimals, '0')}`)
  return decimalOf(scaled(one) + scaled(other), decimals)
}

function fractionOf(given: string): string {
  return given.split('.')[1] ?? ''
}
