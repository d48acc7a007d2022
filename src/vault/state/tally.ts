import { type CountedKind, countedKinds, isCounted } from '../../operations/records/counted_kinds.ts'
import type { RecordKind, RecordTypes } from '../../operations/records/records.ts'
import type { Amount } from '../../policy/spending.ts'
import type { Books } from '../books/books.ts'
import type { CountEntry } from '../books/entries.ts'
import { countKeyOf, countNameOf } from '../books/entry_names.ts'
import { MovedError } from './evidence.ts'

/** Something that a decision counts: under a name within an organization. */
export type Addition = {
  readonly organizationId: string
  readonly what: readonly string[]
  readonly amount: bigint
  /** How long it counts. */
  readonly keptMs: number
  /** Each decision makes something new, so it counts each time: the same bytes are not enough to count once. */
  readonly countsEachTime?: true
}

/**
 * What one decision saw on the books and what it adds to them. It does not see what the same request has counted before,
 * so that the same bytes count once when they are decided again.
 */
export type Tally = {
  /** From here on the decision counts under this key. Queries count nothing and have none. */
  begin(countKey: () => string): void
  /** What was counted so far, here and in earlier decisions. */
  amounts(organizationId: string, what: readonly string[]): readonly Amount[]
  /** A record of a counted kind with what was counted, whatever the database shows; of another kind as it is. */
  atLeast<K extends RecordKind>(kind: K, found: Found<K>): RecordTypes[K] | undefined
  /**
   * Counts that the secret of a record was opened, if its kind counts that. Throws `MovedError` where a count has changed
   * since it was seen. The count stays, whatever becomes of the decision.
   */
  countOpening(kind: RecordKind, opened: Pick<Found<RecordKind>, 'organizationId' | 'recordId'>): void
  /** Whether something was counted that no answer may leave before. */
  readonly hasCounted: boolean
  /** Throws `MovedError` where a count has changed since it was seen. */
  requireUnmoved(): void
  entriesOf(additions: readonly Addition[]): readonly CountEntry[]
}

type Found<K extends RecordKind> = {
  readonly organizationId: string
  readonly recordId: string
  readonly record: RecordTypes[K] | undefined
}

export function createTally(
  books: Pick<Books, 'amounts' | 'revision' | 'count'>,
  { nowMs, newId }: { readonly nowMs: number; readonly newId: () => string },
): Tally {
  let begun: (() => string) | undefined
  let countKey: string | undefined
  const seen = new Map<string, number>()
  let hasCounted = false

  function amounts(organizationId: string, what: readonly string[]): readonly Amount[] {
    const name = countNameOf(organizationId, what)
    if (!seen.has(name)) seen.set(name, books.revision(name))
    return books.amounts(name, ownKey())
  }

  /** Made when something is counted: most requests count nothing. */
  function ownKey(): string | undefined {
    countKey ??= begun?.()
    return countKey
  }

  function requireUnmoved(): void {
    for (const [name, revision] of seen) if (books.revision(name) !== revision) throw new MovedError('a count moved')
  }

  function entriesOf(additions: readonly Addition[]): readonly CountEntry[] {
    if (additions.length === 0) return []
    const key = ownKey()
    if (key === undefined) throw new Error('a query counts nothing')
    return additions.map(({ organizationId, what, amount, keptMs, countsEachTime }) => ({
      name: countNameOf(organizationId, what),
      countKey: countsEachTime ? countKeyOf(key, newId()) : key,
      amount,
      atMs: nowMs,
      untilMs: nowMs + keptMs,
    }))
  }

  return {
    begin(key) {
      begun = key
    },

    amounts,

    atLeast(kind, { organizationId, recordId, record }) {
      if (!isCounted(kind)) return record
      const counted = (part: string) => amounts(organizationId, [kind, recordId, part])
      const { atLeast } = countedKinds[kind as CountedKind]
      return atLeast(record as never, { recordId, counted, nowMs }) as typeof record
    },

    countOpening(kind, { organizationId, recordId }) {
      const counting = isCounted(kind) ? countedKinds[kind] : undefined
      if (counting?.opening === undefined) return
      requireUnmoved()
      const what = [kind, recordId, counting.opening]
      books.count(entriesOf([{ organizationId, what, amount: 1n, keptMs: counting.keptMs }]))
      const name = countNameOf(organizationId, what)
      seen.set(name, books.revision(name))
      hasCounted = true
    },

    get hasCounted() {
      return hasCounted
    },

    requireUnmoved,
    entriesOf,
  }
}
