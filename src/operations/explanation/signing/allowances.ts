import type { Note } from '../explanation.ts'
import { note } from '../values.ts'

/** Hardly any token has so many of its smallest unit, whatever its decimals. */
const supplyMax = 2n ** 128n

/** Whether somebody may spend everything by an allowance of so many bits, or as good as that. */
export function allowanceNote(amount: bigint, bits: number): Note | undefined {
  if (amount === 2n ** BigInt(bits) - 1n) return note('unlimited')
  const isGreat = amount >= (bits > 128 ? supplyMax : 2n ** BigInt(bits - 1))
  return isGreat ? note('nearlyUnlimited') : undefined
}
