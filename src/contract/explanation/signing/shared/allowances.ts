import type { Value as Seen } from '../../../../policy/language/expression_values.ts'
import type { Note, Value } from '../../explanation.ts'
import { address, code, note, noteOf } from '../../shown_values.ts'

/** Hardly any token has so many of its smallest unit, whatever its decimals. */
const supplyMax = 2n ** 128n

/** Whether somebody may spend everything by an allowance of so many bits, or as good as that. */
export function allowanceNote(amount: bigint, bits: number): Note | undefined {
  if (amount === 2n ** BigInt(bits) - 1n) return note('unlimited')
  const isGreat = amount >= (bits > 128 ? supplyMax : 2n ** BigInt(bits - 1))
  return isGreat ? note('nearlyUnlimited') : undefined
}

/** `shown`: the amount, or what stands for it. */
type Allowance = {
  readonly amount: Seen | undefined
  readonly bits: number
  readonly shown: Value
  readonly spender: Value
}

/** Notes what somebody may spend, and whether it is everything or as good as that. */
export function spendNotes({ amount, bits, shown, spender }: Allowance): readonly Note[] {
  const great = typeof amount === 'bigint' ? allowanceNote(amount, bits) : undefined
  const lets = noteOf('letsSpend', allowedAmount(shown, great), spender)
  return great === undefined ? [lets] : [lets, great]
}

/** An allowance in a title, where 78 digits would hide that it is everything. `great`: the note of its amount. */
export function allowedAmount(amount: Value, great: Note | undefined): Value {
  if (great === undefined) return amount
  const isUnlimited = great.code === 'unlimited'
  if (amount.kind === 'note' && amount.code === 'singleTokens' && isUnlimited) {
    return noteOf('singleTokens', code('everything'), ...(amount.values ?? []).slice(1))
  }
  if (amount.kind !== 'amount') return amount
  if (amount.token === undefined) return isUnlimited ? code('everything') : amount
  return noteOf(isUnlimited ? 'unlimitedTokens' : 'nearlyUnlimitedTokens', address(amount.token))
}
