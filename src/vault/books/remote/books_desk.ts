import type { Books } from '../books.ts'
import { decisionBooks, type Released, type SettledHead } from '../decision_books.ts'
import { JournalUnavailable } from '../journal/errors.ts'
import type { OpenedBooks } from '../open_books.ts'
import { type BooksNews, type BooksVerbs, receivedCounts, receivedHead, sentAmounts, sentHead } from './messages.ts'

/** A vault that shares the books. Telling it never rejects: a vault that does not take the news is ended first. */
export type Listener = {
  readonly tell: <V extends keyof BooksNews>(verb: V, news: Parameters<BooksNews[V]>[0]) => Promise<void>
}

/** A head of a vault's decision, and the entry as the vault sent it. */
type TakenHead = SettledHead & { readonly bytes: Uint8Array }

/** The books of a node, for several vaults. */
export type BooksDesk = {
  /**
   * Tells a vault that starts all that it has to know, and from then on all that changes. It decides nothing yet and asks
   * nothing, so nobody waits for it.
   */
  open(listener: Listener): Promise<void>
  /**
   * Resolves once a vault that was opened knows all that has changed. It may decide from then on. Changes wait until it
   * knows of them as soon as it has taken what it was told before.
   */
  join(listener: Listener): Promise<void>
  close(listener: Listener): void
  verbsFor(listener: Listener): BooksVerbs
  tellAll<V extends keyof BooksNews>(verb: V, news: Parameters<BooksNews[V]>[0]): Promise<void>
}

/** 16 bytes each. */
const keysPerMessageMax = 65_536

export function createBooksDesk(books: Books & Pick<OpenedBooks, 'lastMs'>): BooksDesk {
  /** For each vault that starts: resolves once the vault has taken everything that it was told. */
  const starting = new Map<Listener, Promise<unknown>>()
  /** With the tags of the heads that each vault has decided and not settled. */
  const listeners = new Map<Listener, Set<string>>()
  /** By organization: resolves once all vaults know the head that is the newest now. */
  const telling = new Map<string, Promise<void>>()
  const deciding = decisionBooks(books)

  async function tellOthers<V extends keyof BooksNews>(
    teller: Listener | undefined,
    verb: V,
    news: Parameters<BooksNews[V]>[0],
  ): Promise<void> {
    for (const [listener, before] of starting) starting.set(listener, Promise.all([before, listener.tell(verb, news)]))
    await Promise.all(
      [...listeners.keys()].map((listener) => (listener === teller ? undefined : listener.tell(verb, news))),
    )
  }

  /** Tells the other vaults that their head is not the newest any more. */
  function tellMoved(teller: Listener, organizationId: string, head: Uint8Array): void {
    const told = Promise.all([telling.get(organizationId), tellOthers(teller, 'moved', { head })]).then(() => {
      if (telling.get(organizationId) === told) telling.delete(organizationId)
    })
    telling.set(organizationId, told)
  }

  /** A vault for which no change waits could decide on a head that is not the newest any more. */
  function requireJoined(listener: Listener): void {
    if (!listeners.has(listener)) throw new Error('a vault that has not joined the books, or has left them, asks them')
  }

  /** The books wait no longer for these heads of a vault. */
  function dismiss(listener: Listener, tags: readonly string[]): void {
    books.dismiss(tags)
    for (const tag of tags) listeners.get(listener)?.delete(tag)
  }

  async function settle(teller: Listener, settled: readonly TakenHead[]): ReturnType<BooksVerbs['settle']> {
    const comparing = deciding.settle(settled)
    // The heads are on the books now, and may be on disk later.
    for (const { organizationId, head, bytes } of settled) {
      if (books.newest(organizationId)?.tag === head.tag) tellMoved(teller, organizationId, bytes)
    }
    // A head that has others above it was told of by the vault that took it up first, maybe not everywhere yet.
    const told = settled.map(({ organizationId }) => telling.get(organizationId))
    const [comparisons] = await Promise.all([comparing, ...told])
    return comparisons
  }

  function shown(organizationId: string) {
    const newest = books.newest(organizationId)
    return {
      isSynced: books.isSynced(organizationId),
      ...(newest === undefined ? {} : { newest: sentHead(organizationId, newest) }),
    }
  }

  return {
    async open(listener) {
      starting.set(listener, Promise.resolve())
      for (const { keys } of books.knownKeys()) await tellKeys(listener, 'known', keys)
      for (const { keys } of books.lostKeys()) await tellKeys(listener, 'lost', keys)
      await listener.tell('opened', { journalId: books.journalId(), logId: books.logId(), lastMs: books.lastMs })
    },

    async join(listener) {
      await starting.get(listener)
      const told = starting.get(listener)
      if (!starting.delete(listener)) throw new Error('a vault that was not opened cannot join the books')
      // Changes wait for it from here on. If they did not, new ones could keep it from joining for ever.
      listeners.set(listener, new Set())
      await told
      requireJoined(listener)
    },

    close(listener) {
      starting.delete(listener)
      dismiss(listener, [...(listeners.get(listener) ?? [])])
      listeners.delete(listener)
    },

    tellAll: (verb, news) => tellOthers(undefined, verb, news),

    verbsFor: (listener) => ({
      // Before anything of a head is shown or built upon, no other vault decides on the head before it.
      async head({ organizationId }) {
        requireJoined(listener)
        const answer = shown(organizationId)
        await telling.get(organizationId)
        return answer
      },

      async take({ head: bytes }) {
        requireJoined(listener)
        const { organizationId, head } = receivedHead(bytes)
        const comparison = books.take(organizationId, head)
        const answer = { ...shown(organizationId), comparison }
        if (comparison === 'above') tellMoved(listener, organizationId, bytes)
        await telling.get(organizationId)
        return answer
      },

      async amounts({ name, exceptKey }) {
        requireJoined(listener)
        return { revision: books.revision(name), amounts: sentAmounts(books.amounts(name, exceptKey)) }
      },

      async count({ entries: bytes, seen }) {
        requireJoined(listener)
        const entries = receivedCounts(bytes)
        if (!deciding.countNow(entries, new Map(seen))) return {}
        const names = new Set([...seen.map(([name]) => name), ...entries.map(({ name }) => name)])
        return { revisions: [...names].map((name) => [name, books.revision(name)] as const) }
      },

      async release({ seen, counts, ...leaving }) {
        requireJoined(listener)
        const reason = books.refusal()
        const writes = leaving.made.length > 0 || leaving.facts.length > 0 || counts.length > 0
        if (reason !== undefined && writes) throw new JournalUnavailable(reason)
        const tags = leaving.made.map(({ tag }) => tag)
        // Before the books expect them: a vault that ends meanwhile leaves none.
        for (const tag of tags) listeners.get(listener)?.add(tag)
        let released: Released | undefined
        try {
          released = await deciding.release({ ...leaving, seen: new Map(seen), counts: receivedCounts(counts) })
          return released
        } finally {
          // The decision is made again, and then it makes other heads.
          if (released === undefined) dismiss(listener, tags)
        }
      },

      async settle({ heads }) {
        requireJoined(listener)
        const settled = heads.map(({ head, forgets }) => ({ ...receivedHead(head), forgets, bytes: head }))
        const tags = settled.map(({ head }) => head.tag)
        return settle(listener, settled).finally(() => dismiss(listener, tags))
      },

      async lose({ tags }) {
        books.lose(tags)
        await tellOthers(listener, 'lost', { keys: Buffer.from(tags.join(''), 'hex') })
      },

      async dismiss({ tags }) {
        dismiss(listener, tags)
      },

      sync: books.sync,
    }),
  }
}

async function tellKeys(listener: Listener, verb: 'known' | 'lost', keys: Uint8Array): Promise<void> {
  const bytes = 16 * keysPerMessageMax
  for (let at = 0; at < keys.length; at += bytes) await listener.tell(verb, { keys: keys.subarray(at, at + bytes) })
}
