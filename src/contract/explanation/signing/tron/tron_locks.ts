import type { Struct } from '../../../../policy/language/expression_values.ts'
import type { Note, Value } from '../../explanation.ts'
import { address, duration, noteOf, number } from '../../shown_values.ts'

const blockSeconds = 3
/** `DELEGATE_PERIOD` of java-tron, three days: for a lock without a period. */
const lockBlocksDefault = 86_400n

/** Warns of a delegation that nobody can take back before a lock ends. A period counts for nothing without the lock. */
export function lockNotes({ type, lock, lock_period: period, receiver_address: receiver }: Struct): readonly Note[] {
  if (type !== 'DelegateResourceContract' || lock !== true) return []
  const blocks = typeof period === 'bigint' && period !== 0n ? period : lockBlocksDefault
  return [noteOf('locksDelegation', address(String(receiver)), blocksValue(blocks))]
}

/** Blocks of Tron, and about how long they take. */
export function blocksValue(blocks: bigint): Value {
  const seconds = Number(blocks) * blockSeconds
  const unit = [86_400, 3_600, 60].find((one) => seconds >= 2 * one) ?? 1
  return noteOf('blocksOfTron', number(blocks), duration(Math.round(seconds / unit) * unit))
}
