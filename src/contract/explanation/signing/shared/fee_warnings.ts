import type { Note, Value } from '../../explanation.ts'
import type { FeeBounds } from '../../fee_bounds.ts'
import { noteOf } from '../../shown_values.ts'

/** `sent` leaves the sender. `returned` comes back, and does not count as sent: it would hide any fee. */
export type Funds = {
  readonly sent: bigint
  /** Where nothing is sent, a fee is high beside what comes back too, however small. */
  readonly returned?: bigint
}

/** All of these together. */
export function fundsIn(all: readonly Funds[]): Required<Funds> {
  const [sent, returned] = [all.map((one) => one.sent), all.map((one) => one.returned ?? 0n)]
  return { sent: sumOf(sent), returned: sumOf(returned) }
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}

/** The most that a transaction pays as a fee, what it sends of the same coin, and how the fee is shown. */
type Fee = Funds & {
  readonly fee: bigint
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
