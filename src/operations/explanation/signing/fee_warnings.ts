import type { Note, Value } from '../explanation.ts'
import { noteOf } from '../values.ts'
import type { FeeBounds } from './coins.ts'

/**
 * The most that a transaction pays as a fee, what it sends of the same coin, and how the fee is shown. What comes back to
 * the sender is not sent: it would hide any fee.
 */
type Fee = {
  readonly fee: bigint
  readonly sent: bigint
  /** What comes back, where nothing is sent. A fee is high beside it too, however small. */
  readonly returned?: bigint
  readonly bounds: FeeBounds
  readonly shown: Value
}

/** A fee above one tenth of what is sent is high. */
const partOfSent = 10n

/** Warns of a fee that is high beside what is sent. Where nothing of the coin is sent, the fee has a bound of its own. */
export function feeWarnings({ fee, sent, returned = 0n, bounds, shown }: Fee): readonly Note[] {
  const isHighBeside = (amount: bigint) => amount > 0n && fee > bounds.small && fee * partOfSent > amount
  const isHigh = sent === 0n ? fee > bounds.great || isHighBeside(returned) : isHighBeside(sent)
  return isHigh ? [noteOf('highFee', shown)] : []
}
