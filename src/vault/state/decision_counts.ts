import { countingOf } from '../../contract/records/counted_kinds.ts'
import type { RecordKind, RecordTypes } from '../../contract/records/records.ts'
import type { Addition, CountGroup } from '../../deciding/rules/counts.ts'
import type { Amount } from '../../policy/spending.ts'
import type { DecisionBooks } from '../books/decision_books.ts'
import { type CountEntry, foreverMs } from '../books/entries.ts'
import { countKeyOf, countNameOf } from '../books/entry_names.ts'
import { countAttempt } from './count_attempt.ts'

/**
 * The counts that one decision saw on the books, and the counts that it adds. A decision does not see the amounts that
 * the same request counted before. So the same bytes count once, even if they are decided again.
 */
export type DecisionCounts = {
  /** Sets the key under which the decision counts. Queries count nothing and have no key. */
  setCountKey(countKey: () => string): void
  /** Sets the key of the activity that a vote may run, which is the one of its submission. */
  setActivityCountKey(activityKey: () => string): void
  /** Returns the amounts on the books, without those of the same request, or of the same activity. */
  amounts(organizationId: string, what: readonly string[], by?: Addition['by']): readonly Amount[]
  /** Returns a record of a counted kind with at least the counted amounts, and a record of another kind as it is. */
  atLeast<K extends RecordKind>(kind: K, found: Found<K>): RecordTypes[K] | undefined
  /**
   * Counts that the secret of a record was opened, if that is an attempt at it, as at a passcode. Throws `MovedError` if a
   * count has changed since it was seen. The count stays, whatever becomes of the decision.
   */
  countAttempt(kind: RecordKind, opened: Pick<Found<RecordKind>, 'organizationId' | 'recordId'>): void
  /** Whether the decision has counted an attempt. No answer may leave before this count is on disk. */
  readonly hasCountedAttempt: boolean
  /** The revision of each count that was seen, by its name on the books. */
  readonly seen: ReadonlyMap<string, number>
  entriesOf(additions: readonly Addition[]): readonly CountEntry[]
}

type Found<K extends RecordKind> = {
  readonly organizationId: string
  readonly recordId: string
  readonly record: RecordTypes[K] | undefined
}

/** Returns the name of a group on the books. */
export function countGroupOf(organizationId: string, { kind, recordId }: CountGroup): string {
  return countNameOf(organizationId, [kind, recordId])
}

export function createDecisionCounts(
  books: Pick<DecisionBooks, 'amounts' | 'revision' | 'countNow'>,
  { nowMs, newId }: { readonly nowMs: number; readonly newId: () => string },
): DecisionCounts {
  let countKeyOfRequest: (() => string) | undefined
  let countKey: string | undefined
  let countKeyOfActivity: (() => string) | undefined
  let activityKey: string | undefined
  const seen = new Map<string, number>()
  let hasCountedAttempt = false

  function amounts(organizationId: string, what: readonly string[], by?: Addition['by']): readonly Amount[] {
    const name = countNameOf(organizationId, what)
    const found = books.amounts(name, keyOf(by))
    if (!seen.has(name)) seen.set(name, books.revision(name))
    return found
  }

  /** Returns the count key of the decision. It is made at the first use, because most requests count nothing. */
  function ownKey(): string | undefined {
    countKey ??= countKeyOfRequest?.()
    return countKey
  }

  function keyOf(by: Addition['by']): string | undefined {
    if (by === undefined || countKeyOfActivity === undefined) return ownKey()
    activityKey ??= countKeyOfActivity()
    return activityKey
  }

  function entriesOf(additions: readonly Addition[]): readonly CountEntry[] {
    return additions.map(({ organizationId, what, group, amount, keptMs, countsEachTime, by }) => {
      const key = keyOf(by)
      if (key === undefined) throw new Error('a query counts nothing')
      return {
        ...(group === undefined ? {} : { group: countGroupOf(organizationId, group) }),
        name: countNameOf(organizationId, what),
        countKey: countsEachTime ? countKeyOf(key, newId()) : key,
        amount,
        atMs: nowMs,
        untilMs: Math.min(nowMs + keptMs, foreverMs),
      }
    })
  }

  return {
    setCountKey(key) {
      countKeyOfRequest = key
    },

    setActivityCountKey(key) {
      countKeyOfActivity = key
    },

    amounts,

    atLeast(kind, { organizationId, recordId, record }) {
      const counted = (part: string) => amounts(organizationId, [kind, recordId, part])
      const counting = countingOf(kind)
      return counting === undefined ? record : counting.atLeast(record, { recordId, counted, nowMs })
    },

    countAttempt(kind, opened) {
      if (countAttempt(kind, opened, { books, seen, entriesOf })) hasCountedAttempt = true
    },

    get hasCountedAttempt() {
      return hasCountedAttempt
    },

    seen,
    entriesOf,
  }
}
