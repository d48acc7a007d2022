import type { Note, Value } from '../explanation.ts'
import { address, code, note, noteOf } from '../values.ts'

/** Hardly any token has so many of its smallest unit, whatever its decimals. */
const supplyMax = 2n ** 128n

/** Whether somebody may spend everything by an allowance of so many bits, or as good as that. */
export function allowanceNote(amount: bigint, bits: number): Note | undefined {
  if (amount === 2n ** BigInt(bits) - 1n) return note('unlimited')
  const isGreat = amount >= (bits > 128 ? supplyMax : 2n ** BigInt(bits - 1))
  return isGreat ? note('nearlyUnlimited') : undefined
}

/** An allowance in a title, where 78 digits would hide that it is everything. `great`: the note of its amount. */
export function allowedAmount(amount: Value, great: Note | undefined): Value {
  if (great === undefined || amount.kind !== 'amount') return amount
  const isUnlimited = great.code === 'unlimited'
  if (amount.token === undefined) return isUnlimited ? code('everything') : amount
  return noteOf(isUnlimited ? 'unlimitedTokens' : 'nearlyUnlimitedTokens', address(amount.token))
}
