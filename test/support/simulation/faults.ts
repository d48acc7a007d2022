import type { Commit, ReadSetEntry } from '../../../src/protocol/reads.ts'
import type { BookedHead } from '../../../src/vault/books/booked_head.ts'
import type { Books } from '../../../src/vault/books/books.ts'
import { countNameOf } from '../../../src/vault/books/entry_names.ts'
import { claimsOf } from '../logins.ts'
import type { CommitTo } from './database.ts'
import type { Furnished } from './furnished.ts'
import type { Planted } from './simulation.ts'
import { commitTo, holds, type Tables, write } from './tables.ts'

/** Faults that the simulation has to find. Each replaces a part of a node or of the database by a faulty one. */
export type Fault = {
  readonly name: string
  /** The seed of the history that found it last, with which to begin. Any change of what histories do moves it. */
  readonly lastFoundBy: number
  /** With which database it can be found. */
  readonly isLying: boolean
  readonly plants: (world: Furnished) => Planted
  /** Words of the error that names it. Undefined: any error finds it. */
  readonly says?: RegExp
}

export const faults: readonly Fault[] = [
  {
    name: 'a store that locks no head that was only read',
    lastFoundBy: 75,
    isLying: false,
    plants: () => ({ commitTo: without((entry, commit) => entry.of === 'head' && !writesHead(commit, entry)) }),
  },
  {
    name: 'a store that does not look at the parent',
    lastFoundBy: 200,
    isLying: false,
    plants: ({ parentId }) => ({
      commitTo: without(
        (entry, commit) => entry.of === 'head' && entry.organizationId === parentId && !writesInto(commit, parentId),
      ),
    }),
  },
  {
    name: 'a store that checks no records',
    lastFoundBy: 13,
    isLying: false,
    plants: () => ({ commitTo: blindly((entry) => entry.of === 'record') }),
  },
  {
    name: 'a store that checks no lookups',
    lastFoundBy: 22,
    isLying: false,
    plants: () => ({ commitTo: without((entry) => entry.of === 'lookup') }),
  },
  {
    name: 'a store that checks no request keys',
    lastFoundBy: 66,
    isLying: false,
    plants: () => ({ commitTo: blindly((entry) => entry.of === 'request') }),
  },
  {
    name: 'a store that takes every last vote',
    lastFoundBy: 3,
    isLying: false,
    plants: () => ({
      commitTo: (tables, commit) =>
        commit.activities.some(({ version }) => version > 1) ? written(tables, commit) : commitTo(tables, commit),
    }),
  },
  {
    name: 'an acknowledgement before the commit',
    lastFoundBy: 0,
    isLying: false,
    plants: () => ({
      store: (store) => ({
        ...store,
        async commit(asked) {
          store.commit(asked).catch(() => {})
          return 'committed'
        },
      }),
    }),
  },
  {
    name: 'a confirmation before the commit',
    lastFoundBy: 1,
    isLying: false,
    plants: () => ({
      vault: (vault) => ({
        ...vault,
        async answer(request) {
          const answer = await vault.answer(request)
          if (answer.kind !== 'commit' || answer.outcome.of !== 'held') return answer
          const confirmed = await vault.confirm(answer.outcome)
          if (confirmed.kind !== 'answer') return { kind: 'moved', counted: [] }
          const { status, body } = confirmed
          return { ...answer, outcome: { of: 'answer', status, body, written: undefined } }
        },
      }),
    }),
  },
  { name: 'a swallowed fork', lastFoundBy: 0, isLying: true, plants: () => ({ books: swallowingForks }) },
  {
    name: 'a forgotten token',
    lastFoundBy: 112,
    isLying: true,
    plants: ({ childId, tokens }) => ({ books: forgetting(childId, tokens) }),
  },
  {
    name: 'a count after the signature left',
    lastFoundBy: 389,
    isLying: true,
    plants: () => ({ books: countingLate }),
  },
  {
    name: 'a journal that loses what was synced',
    lastFoundBy: 0,
    isLying: true,
    plants() {
      let syncs = 0
      return {
        journal: (journal, disk) => ({
          ...journal,
          async sync() {
            await journal.sync()
            syncs += 1
            if (syncs % 4 === 0) disk.payloads = disk.payloads.slice(0, -1)
          },
        }),
      }
    },
  },
]

type Ignored = (entry: ReadSetEntry, commit: Commit) => boolean

/** A store that ignores entries of read sets. */
function without(isIgnored: Ignored): CommitTo {
  return (tables, commit) => {
    const readSet = commit.readSet.filter((entry) => !isIgnored(entry, commit))
    return commitTo(tables, { ...commit, readSet })
  }
}

/** A store that ignores entries of read sets, and replaces rows of any version. */
function blindly(isIgnored: Ignored): CommitTo {
  return (tables, commit) => {
    const isHeld = commit.readSet.every((entry) => isIgnored(entry, commit) || holds(tables, entry))
    return isHeld ? written(tables, commit) : 'conflict'
  }
}

function written(tables: Tables, commit: Commit): 'committed' {
  write(tables, commit)
  return 'committed'
}

function writesHead({ heads }: Commit, { organizationId }: ReadSetEntry): boolean {
  return heads.some((head) => head.organizationId === organizationId)
}

function writesInto({ heads, activities }: Commit, organizationId: string): boolean {
  return [...heads, ...activities].some((row) => row.organizationId === organizationId)
}

/** Books that take up a head of another branch. */
function swallowingForks(books: Books): Books {
  const swallowed = new Map<string, BookedHead>()
  return {
    ...books,
    newest: (organizationId) => swallowed.get(organizationId) ?? books.newest(organizationId),
    take(organizationId, head) {
      const newest = swallowed.get(organizationId)
      if (newest !== undefined && head.tag === newest.tag) return 'newest'
      if (newest !== undefined && head.version < newest.version) return 'behind'
      const comparison = newest === undefined ? books.take(organizationId, head) : 'fork'
      if (comparison !== 'fork') return comparison
      swallowed.set(organizationId, head)
      return 'above'
    },
  }
}

/** Books that do not count the use of tokens. */
function forgetting(organizationId: string, tokens: readonly string[]): (books: Books) => Books {
  const names = tokens.map((token) => countNameOf(organizationId, ['used_token', claimsOf(token).id, 'use']))
  return (books) => ({ ...books, count: (entries) => books.count(entries.filter(({ name }) => !names.includes(name))) })
}

/** Books whose counts are on disk only after the decision has left: with what another decision puts there. */
function countingLate(books: Books): Books {
  let isCounting = false
  return {
    ...books,
    count(entries) {
      isCounting = entries.length > 0
      books.count(entries)
    },
    async sync() {
      const isLate = isCounting
      isCounting = false
      if (!isLate) await books.sync()
    },
  }
}
