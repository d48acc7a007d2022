import { decodeLogEntry, type LoggedFact } from '../../../src/protocol/log/log_entry.ts'
import { tileWidth, writeEntries } from '../../../src/protocol/log/tree/tiles.ts'
import type { Books } from '../../../src/vault/books/books.ts'
import { readEntries } from '../../../src/vault/books/entries.ts'
import type { Piece } from '../../../src/vault/books/head_table.ts'
import type { Journal } from '../../../src/vault/books/journal/journal.ts'
import { decodeLogged } from '../../../src/vault/books/transparency/journal_entries.ts'
import type { Fault } from './faults.ts'
import type { Planted } from './simulation.ts'

/** Faults of the transparency log. */
export const logFaults: readonly Fault[] = [
  {
    name: 'an entry after the answer',
    lastFoundBy: 2,
    isLying: false,
    plants: () => ({ books: enteringLate }),
  },
  {
    name: 'an entry and its head in two frames',
    lastFoundBy: 4,
    isLying: false,
    plants: () => ({ journal: inTwoFrames }),
  },
  {
    name: 'a checkpoint over what is not synced',
    lastFoundBy: 2,
    isLying: false,
    plants: signingUnsynced,
  },
  {
    name: 'a head that is taken up without its entry',
    lastFoundBy: 2,
    isLying: false,
    plants: () => ({ journal: takingUpAlone }),
  },
  {
    name: 'a bundle that is forgotten unread',
    lastFoundBy: 7,
    isLying: true,
    plants: () => ({ books: forgettingUnread }),
  },
]

/** Books that enter what left with what is synced next. */
function enteringLate(books: Books): Books {
  let late: LoggedFact[] = []
  return {
    ...books,
    async enter(facts) {
      late.push(...facts)
    },
    async sync() {
      const facts = late
      late = []
      await Promise.all([books.enter(facts), books.sync()])
    },
  }
}

/** A journal that writes the entry of a head into the frame after that of the head. */
function inTwoFrames(journal: Journal): Journal {
  let late: Buffer[] = []
  return {
    ...journal,
    append(payload) {
      const { head, logged } = dividedIn(payload)
      journal.append(head === undefined || logged === undefined ? payload : head)
      if (head !== undefined && logged !== undefined) late.push(logged)
    },
    async enter(payload) {
      if (!late.some((logged) => logged.equals(payload))) await journal.enter(payload)
    },
    async sync() {
      await journal.sync()
      for (const logged of late) journal.append(logged)
      if (late.length > 0) await journal.sync()
      late = []
    },
  }
}

/** Books that sign, and show, a checkpoint without a sync. */
function signingUnsynced(): Planted {
  let isSigning = false
  return {
    journal: (journal) => ({ ...journal, sync: async () => (isSigning ? undefined : journal.sync()) }),
    books: ({ transparency, ...books }) => ({
      ...books,
      transparency: {
        ...transparency,
        async renew(sign) {
          isSigning = true
          try {
            return await transparency.renew(sign)
          } finally {
            isSigning = false
          }
        },
      },
    }),
  }
}

/** A journal that drops the entry of a head that was found in the database. */
function takingUpAlone(journal: Journal): Journal {
  const isTakenUp = (logged: Buffer) => decodeLogEntry(decodeLogged(logged).entry)?.isTakenUp === true
  return {
    ...journal,
    append(payload) {
      const { head, logged } = dividedIn(payload)
      journal.append(head !== undefined && logged !== undefined && isTakenUp(logged) ? head : payload)
    },
    async enter(payload) {
      if (!isTakenUp(Buffer.from(payload))) await journal.enter(payload)
    },
  }
}

/** Books that forget whole bundles before they have been handed over. */
function forgettingUnread({ transparency, ...books }: Books): Books {
  return {
    ...books,
    transparency: {
      ...transparency,
      renew(sign) {
        transparency.forget(writeEntries(transparency.kept().entries.slice(0, tileWidth)))
        return transparency.renew(sign)
      },
    },
  }
}

/** The head in an entry of the journal, and the entries of the log. */
function dividedIn(payload: Uint8Array): { readonly head?: Buffer; readonly logged?: Buffer } {
  const heads: Buffer[] = []
  const logged: Buffer[] = []
  const bytesOf = ({ bytes, start, end }: Piece) => bytes.subarray(start, end)
  readEntries(payload, {
    head: (piece) => heads.push(bytesOf(piece)),
    log: (piece) => logged.push(bytesOf(piece)),
    began() {},
    count() {},
    forget() {},
    keys() {},
  })
  const [head] = heads
  return { ...(head && { head }), ...(logged.length > 0 && { logged: Buffer.concat(logged) }) }
}
