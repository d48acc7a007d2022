import type { Amount } from '../../../policy/spending.ts'
import { type BookedHead, type Comparison, compareHeads } from '../booked_head.ts'
import type { BooksView, DecisionBooks } from '../decision_books.ts'
import { JournalUnavailable } from '../journal/errors.ts'
import { createKnownChanges } from '../known_changes.ts'
import { LookNeeded, type Wanted } from './look_needed.ts'
import {
  type BooksNews,
  type BooksVerbs,
  receivedAmounts,
  receivedHead,
  type ShownHead,
  sentCounts,
  sentHead,
} from './messages.ts'

/** Heads that are kept at most. The next head then begins anew: looking a head up is cheap. */
const headsMax = 65_536

/** A newest head as the books last told it; undefined if the books have none. */
type Kept = { readonly head: BookedHead | undefined; isSynced: boolean }

/** Stands for all organizations where one could have moved. */
const everyOrganization = ''

/** Books that another process keeps, as one of several vaults of a node sees them. */
export type SharedBooks = {
  readonly books: DecisionBooks
  /** The news that the books tell. */
  readonly news: Omit<BooksNews, 'lifted' | 'linked'>
  /** Resolves with the latest time on the books once the books have said who they are. */
  readonly opened: Promise<{ readonly lastMs: number }>
}

/**
 * Keeps what the books of another process have said, until they say that it is no longer so. The books wait for this
 * before any change is acknowledged. So a decision may rest on a head that is kept here without asking again.
 */
export function createSharedBooks(
  ask: BooksVerbs,
  { nowMs, onError }: { readonly nowMs: () => number; readonly onError: (error: unknown) => void },
): SharedBooks {
  const changes = createKnownChanges({ nowMs })
  const kept = new Map<string, Kept>()
  /** For each question in flight, the organizations that have moved since it was asked: its answer may be older. */
  const asking = new Set<Set<string>>()
  const opened = Promise.withResolvers<{ readonly lastMs: number }>()
  let journalId = ''
  let logId = ''

  const { isKnown, isLost } = changes
  const remember = (head: BookedHead) => changes.remember(head, nowMs())

  /** Asks for heads, and keeps what is still true when the answer is there. */
  async function askForHeads<T>(
    question: () => Promise<T>,
    headsIn: (answer: T) => readonly { readonly organizationId: string; readonly shown: Kept }[],
  ): Promise<T> {
    const moved = new Set<string>()
    asking.add(moved)
    try {
      const answer = await question()
      for (const { organizationId, shown } of headsIn(answer)) {
        if (moved.has(organizationId) || moved.has(everyOrganization)) continue
        // The answer to a later question may have come first: a confirmation waits for the disk, a look does not.
        const { version = 0 } = shown.head ?? {}
        if (version < (kept.get(organizationId)?.head?.version ?? 0)) continue
        if (kept.size >= headsMax) kept.clear()
        kept.set(organizationId, shown)
      }
      return answer
    } finally {
      asking.delete(moved)
    }
  }

  /**
   * Forgets the head of an organization. The books tell every vault but the one that asks that a head is not the newest:
   * that one must not rest on it while their answer is on its way.
   */
  function moves(organizationId: string): void {
    kept.delete(organizationId)
    for (const moved of asking) moved.add(organizationId)
  }

  function newest(organizationId: string): BookedHead | undefined {
    const shown = kept.get(organizationId)
    if (shown === undefined) throw new LookNeeded({ of: 'head', organizationId })
    return shown.head
  }

  const isSynced = (organizationId: string) => kept.get(organizationId)?.isSynced === true

  async function sync(): Promise<void> {
    const unsynced = [...kept.values()].filter((shown) => !shown.isSynced)
    await ask.sync().catch(asJournalError)
    for (const shown of unsynced) shown.isSynced = true
  }

  const release: DecisionBooks['release'] = async ({ heads, seen, counts, made, facts, shown }) => {
    // The books would only look at the heads, and these are what the books last said.
    if (seen.size === 0 && counts.length === 0 && made.length === 0 && facts.length === 0) {
      if (heads.some(({ organizationId, tag }) => newest(organizationId)?.tag !== tag)) return undefined
      if (!shown.every(isSynced)) await sync()
      return {}
    }
    return ask.release({ heads, made, facts, shown, seen: [...seen], counts: sentCounts(counts) }).catch(asJournalError)
  }

  const settle: DecisionBooks['settle'] = (settled) => {
    const heads = settled.map(({ organizationId, head, forgets }) => ({
      head: sentHead(organizationId, head),
      forgets,
    }))
    for (const { organizationId } of settled) moves(organizationId)
    return askForHeads(
      () => ask.settle({ heads }).catch(asJournalError),
      (comparisons) =>
        settled.flatMap(({ organizationId, head }, index) => {
          const comparison = comparisons[index]
          if (comparison !== 'above' && comparison !== 'newest') return []
          remember(head)
          return [{ organizationId, shown: { head, isSynced: true } }]
        }),
    )
  }

  const common = {
    journalId: () => journalId,
    logId: () => logId,
    newest,
    isSynced,
    isKnown,
    isLost,
    /** The books say so when something is to be written. */
    refusal: () => undefined,
    sync,
    lose(tags: readonly string[]) {
      if (tags.length === 0) return
      changes.lose(tags)
      ask.lose({ tags }).catch(onError)
    },
    dismiss(tags: readonly string[]) {
      if (tags.length > 0) ask.dismiss({ tags }).catch(onError)
    },
    release,
    settle,
  }

  /** The books as one decision sees them. Amounts stay as they were first: `release` finds out if they have moved. */
  function view(): BooksView {
    const taken = new Map<string, Comparison>()
    const amountsSeen = new Map<string, readonly Amount[]>()
    const revisions = new Map<string, number>()
    const counted = new Map<string, boolean>()
    const amountsKey = (name: string, exceptKey: string | undefined) => `${name} ${exceptKey ?? ''}`
    const entriesKey = (entries: Extract<Wanted, { of: 'count' }>['entries']) =>
      entries.map(({ name, countKey, amount }) => `${name} ${countKey} ${amount}`).join()

    return {
      ...common,

      take(organizationId, head) {
        const before = taken.get(head.tag)
        if (before !== undefined) return before
        const comparison = compareHeads(newest(organizationId), head, { isLost, journalId })
        if (comparison === 'newest' || comparison === 'behind') return comparison
        throw new LookNeeded({ of: 'take', organizationId, head })
      },

      amounts(name, exceptKey) {
        const seen = amountsSeen.get(amountsKey(name, exceptKey))
        if (seen === undefined) throw new LookNeeded({ of: 'amounts', name, exceptKey })
        return seen
      },

      revision: (name) => revisions.get(name) ?? 0,

      countNow(entries, seen) {
        const isCounted = counted.get(entriesKey(entries))
        if (isCounted === undefined) throw new LookNeeded({ of: 'count', entries, seen })
        return isCounted
      },

      async look(wanted) {
        switch (wanted.of) {
          case 'head': {
            const { organizationId } = wanted
            await askForHeads(
              () => ask.head({ organizationId }),
              (answer) => [{ organizationId, shown: keptOf(answer) }],
            )
            return
          }
          case 'take': {
            const { organizationId, head } = wanted
            moves(organizationId)
            const { comparison } = await askForHeads(
              () => ask.take({ head: sentHead(organizationId, head) }).catch(asJournalError),
              (answer) => [{ organizationId, shown: keptOf(answer) }],
            )
            if (comparison === 'above') remember(head)
            taken.set(head.tag, comparison)
            return
          }
          case 'amounts': {
            const { name, exceptKey } = wanted
            const { revision, amounts } = await ask.amounts({ name, exceptKey })
            if (!revisions.has(name)) revisions.set(name, revision)
            amountsSeen.set(amountsKey(name, exceptKey), receivedAmounts(amounts))
            return
          }
          case 'count': {
            const { entries, seen } = wanted
            const sent = { entries: sentCounts(entries), seen: [...seen] }
            const { revisions: moved } = await ask.count(sent).catch(asJournalError)
            for (const [name, revision] of moved ?? []) revisions.set(name, revision)
            counted.set(entriesKey(entries), moved !== undefined)
          }
        }
      },
    }
  }

  /** Decisions use a view. Code without one looks nothing up. */
  const unseen = (): never => {
    throw new Error('only a view of the books can be asked')
  }

  return {
    books: { ...common, take: unseen, amounts: unseen, revision: unseen, countNow: unseen, view },
    opened: opened.promise,
    news: {
      async ready() {},
      async opened(news) {
        journalId = news.journalId
        logId = news.logId
        opened.resolve({ lastMs: news.lastMs })
      },
      async known({ keys }) {
        changes.rememberKeys(keys, nowMs())
      },
      async lost({ keys }) {
        changes.loseKeys(keys)
      },
      async moved(news) {
        const { organizationId, head } = receivedHead(news.head)
        remember(head)
        moves(organizationId)
      },
      async forgotten(news) {
        journalId = news.journalId
        kept.clear()
        moves(everyOrganization)
      },
    },
  }
}

function keptOf({ newest, isSynced }: ShownHead): Kept {
  return { head: newest === undefined ? undefined : receivedHead(newest).head, isSynced }
}

/** The error of another process comes with its name and message only. */
function asJournalError(error: unknown): never {
  if (error instanceof Error && 'thrownName' in error && error.thrownName === 'JournalUnavailable') {
    throw new JournalUnavailable(error.message, { cause: error })
  }
  throw error
}
