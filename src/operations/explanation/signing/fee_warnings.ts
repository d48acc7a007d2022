import type { Note, Value } from '../explanation.ts'
import { noteOf } from '../values.ts'
import type { FeeBounds } from './coins.ts'

/** The most that a transaction pays as a fee, what it sends of the same coin, and how the fee is shown. */
type Fee = {
  readonly fee: bigint
  readonly sent: bigint
  readonly bounds: FeeBounds
  readonly shown: Value
}

/** A fee above one tenth of what is sent is high. */
const partOfSent = 10n

/** Warns of a fee that is high beside what is sent. Where nothing of the coin is sent, the fee has a bound of its own. */
export function feeWarnings({ fee, sent, bounds, shown }: Fee): readonly Note[] {
  const isHigh = sent === 0n ? fee > bounds.great : fee > bounds.small && fee * partOfSent > sent
  return isHigh ? [noteOf('highFee', shown)] : []
}
