import { countingOf } from '../../contract/records/counted_kinds.ts'
import type { RecordKind } from '../../contract/records/records.ts'
import type { DecisionBooks } from '../books/decision_books.ts'
import type { CountEntry } from '../books/entries.ts'
import { countNameOf } from '../books/entry_names.ts'
import { MovedError } from './evidence.ts'

type Attempt = {
  readonly organizationId: string
  readonly what: readonly string[]
  readonly amount: bigint
  readonly keptMs: number
}

type Counting = {
  readonly books: Pick<DecisionBooks, 'countNow' | 'revision'>
  /** The revision of each count that the decision has seen, by its name on the books. */
  readonly seen: Map<string, number>
  entriesOf(attempts: readonly Attempt[]): readonly CountEntry[]
}

/**
 * Counts an attempt at the secret of a record, such as a passcode, at once: it stays, whatever becomes of the decision.
 * Returns whether secrets of this kind have attempts. Throws `MovedError` if a count has changed since it was seen.
 */
export function countAttempt(
  kind: RecordKind,
  { organizationId, recordId }: { readonly organizationId: string; readonly recordId: string },
  { books, seen, entriesOf }: Counting,
): boolean {
  const counting = countingOf(kind)
  if (counting?.attempts === undefined) return false
  const what = [kind, recordId, counting.attempts]
  const entries = entriesOf([{ organizationId, what, amount: 1n, keptMs: counting.keptMs }])
  if (!books.countNow(entries, seen)) throw new MovedError('a count moved')
  const name = countNameOf(organizationId, what)
  seen.set(name, books.revision(name))
  return true
}
