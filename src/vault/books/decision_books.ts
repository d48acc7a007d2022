import type { LoggedFact } from '../../protocol/log/log_entry.ts'
import type { BookedHead, Comparison } from './booked_head.ts'
import type { Books, ExpectedHead } from './books.ts'
import type { CountEntry } from './entries.ts'
import { JournalUnavailable } from './journal/errors.ts'
import { LookNeeded, type Wanted } from './remote/look_needed.ts'

/** The basis of a decision, and the entries that it puts on the books when it leaves the vault. */
export type Leaving = {
  /** The heads that the decision rests on, with the tags that it saw. */
  readonly heads: readonly { readonly organizationId: string; readonly tag: string | undefined }[]
  /** The revision of each count that the decision saw, by name. */
  readonly seen: ReadonlyMap<string, number>
  readonly counts: readonly CountEntry[]
  /** The heads that the decision makes. */
  readonly made: readonly ExpectedHead[]
  /** The entries of the transparency log for a decision that makes no head. */
  readonly facts: readonly LoggedFact[]
  /** The organizations whose newest heads the decision tells of. */
  readonly shown: readonly string[]
}

export type Released = {
  /** The index of its entry in the transparency log. Absent for a decision that makes a head or has no activity. */
  readonly index?: number | undefined
}

/** A head of a held decision whose commit is on disk, and the groups of counts that it ends. */
export type SettledHead = {
  readonly organizationId: string
  readonly head: BookedHead
  readonly forgets: readonly string[]
}

/** The part of the books that decisions use. One function does all that belongs in one turn of the event loop. */
export type DecisionBooks = Pick<
  Books,
  | 'journalId'
  | 'logId'
  | 'newest'
  | 'take'
  | 'isSynced'
  | 'isKnown'
  | 'isLost'
  | 'amounts'
  | 'revision'
  | 'sync'
  | 'refusal'
  | 'lose'
  | 'dismiss'
> & {
  /** Counts at once. Returns false, and counts nothing, if one of the counts that were seen has moved. */
  countNow(entries: readonly CountEntry[], seen: ReadonlyMap<string, number>): boolean
  /**
   * In one turn of the event loop, checks that nothing the decision rests on has moved, puts its counts on the books and
   * expects its heads. Then syncs what the decision rests on or tells of, and enters it in the transparency log if it
   * makes no head. Returns undefined, and changes nothing, if something has moved. Rejects with `JournalUnavailable`.
   */
  release(leaving: Leaving): Promise<Released | undefined>
  /**
   * Takes heads up and syncs them. Returns how each compared, up to the first that is a fork. A head that was taken up
   * earlier, and has others above it, is `behind`. Rejects with `JournalUnavailable`, also for a head that was made
   * before the operator accepted a restored database: it would get no entry in the transparency log.
   */
  settle(heads: readonly SettledHead[]): Promise<readonly Comparison[]>
  /**
   * Returns what one decision sees of books that another process keeps. Absent where they are kept in this process. A
   * view throws `LookNeeded` for what it has not asked the books yet.
   */
  readonly view?: () => BooksView
}

/** `look` asks the books for what a decision lacks. */
export type BooksView = DecisionBooks & { look(wanted: Wanted): Promise<void> }

/** More than any decision needs: each look is for another head or count. */
const looksMax = 10_000

/** Makes a decision on the books. Where they are kept elsewhere, makes it again after each look. */
export async function againAfterLooks<T>(
  books: DecisionBooks,
  decide: (books: DecisionBooks) => Promise<T>,
): Promise<T> {
  if (books.view === undefined) return decide(books)
  const view = books.view()
  for (let looks = 0; looks < looksMax; looks += 1) {
    try {
      return await decide(view)
    } catch (error) {
      if (!(error instanceof LookNeeded)) throw error
      await view.look(error.wanted)
    }
  }
  throw new Error(`a decision still asked the books after ${looksMax} looks`)
}

export function decisionBooks(books: Books): DecisionBooks {
  const areUnmoved = (seen: ReadonlyMap<string, number>) =>
    [...seen].every(([name, revision]) => books.revision(name) === revision)

  return {
    ...books,

    countNow(entries, seen) {
      if (!areUnmoved(seen)) return false
      books.count(entries)
      return true
    },

    async release({ heads, seen, counts, made, facts, shown }) {
      const isNewest = heads.every(({ organizationId, tag }) => books.newest(organizationId)?.tag === tag)
      if (!isNewest || !areUnmoved(seen)) return undefined
      books.count(counts)
      books.expect(made)
      const isSynced = counts.length === 0 && shown.every(books.isSynced)
      try {
        const [index] = await Promise.all([books.enter(facts), isSynced ? undefined : books.sync()])
        return { index }
      } catch (error) {
        books.dismiss(made.map(({ tag }) => tag))
        throw error
      }
    },

    async settle(heads) {
      const comparisons: Comparison[] = []
      try {
        // The journal has had a new id since the operator accepted a database, maybe before the vault was told.
        if (heads.some(({ head }) => head.maker !== books.journalId())) {
          throw new JournalUnavailable('a restored database was accepted since the change was decided')
        }
        for (const { organizationId, head, forgets } of heads) {
          const compared = books.take(organizationId, head)
          // A head that is behind may have been taken up earlier, when the database showed it, and later heads above it.
          const comparison = compared === 'behind' && !books.isTaken(head.tag) ? 'fork' : compared
          comparisons.push(comparison)
          if (comparison === 'fork') return comparisons
          books.forgetCounts(forgets)
        }
        await books.sync()
        return comparisons
      } finally {
        books.dismiss(heads.map(({ head }) => head.tag))
      }
    },
  }
}
