import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newBooksFolder, openTestBooks } from '../../../test/support/books.ts'
import { copyOfFolder } from '../../../test/support/journals.ts'
import { decodeLogEntry, type LoggedFact } from '../../protocol/log/log_entry.ts'
import { UnsealError } from '../keys/wrapped_seed.ts'
import { type BookedHead, belowNext, type HeadName } from './booked_head.ts'
import type { Books } from './books.ts'
import { requestMsMax } from './counts.ts'
import { decisionBooks } from './decision_books.ts'
import { foreverMs, readEntries } from './entries.ts'
import { changeKeyOf, countKeyOf, countNameOf } from './entry_names.ts'
import { type Journal, JournalUnavailable, openJournal, payloadBytesMax } from './journal/journal.ts'

const organizationId = '01234567-89ab-7cde-8f01-23456789abcd'
const another = '01234567-89ab-7cde-8f01-2345678900ef'
const startMs = 1_800_000_000_000
const minuteMs = 60 * 1000
const newKey = () => randomBytes(16).toString('hex')

function headOf(version: number, { maker = newKey(), on }: { maker?: string; on?: BookedHead } = {}): BookedHead {
  const below: ReadonlyMap<string, HeadName> = on === undefined ? new Map() : belowNext(on)
  return { version, tag: newKey(), changeKey: newKey(), maker, below }
}

function countOf(amount: bigint, { name = newKey(), atMs = startMs, keptMs = 10 * minuteMs } = {}) {
  return { name, countKey: newKey(), amount, atMs, untilMs: atMs + keptMs }
}

/** Opens the books in a folder with a clock that the caller can set. */
async function openAt(directory: string, ms = startMs) {
  const clock = { ms }
  const superseded = { count: 0 }
  const onSuperseded = () => {
    superseded.count += 1
  }
  const books = await openTestBooks(directory, { nowMs: () => clock.ms, onSuperseded })
  return { books, clock, superseded }
}

/** A copy of the folder as after a power loss: entries that were not synced may be gone. */
async function reopen(books: Books, directory: string, ms = startMs) {
  const copy = copyOfFolder(directory)
  await books.close()
  return { ...(await openAt(copy, ms)), directory: copy }
}

describe('a start finds', () => {
  test('the newest head of each organization, and the id of the journal', async () => {
    const directory = newBooksFolder()
    const { books } = await openAt(directory)
    const first = headOf(1)
    const second = headOf(2, { maker: books.journalId(), on: first })
    const other = headOf(7)
    for (const head of [first, second]) expect(books.take(organizationId, head)).toBe('above')
    expect(books.take(another, other)).toBe('above')
    await books.sync()
    const later = await reopen(books, directory)
    expect(later.books.journalId()).toBe(books.journalId())
    expect(later.books.newest(organizationId)).toEqual(second)
    expect(later.books.newest(another)).toEqual(other)
    expect(later.books.newest('01234567-89ab-7cde-8f01-000000000000')).toBeUndefined()
    const found = [...later.books.organizations()].sort((a, b) => a.version - b.version)
    expect(found).toMatchObject([
      { organizationId, version: 2 },
      { organizationId: another, version: 7 },
    ])
    expect(later.books.take(organizationId, first)).toBe('behind')
    expect(later.books.take(organizationId, headOf(3, { on: first }))).toBe('fork')
    expect(later.books.take(organizationId, headOf(3, { on: second }))).toBe('above')
    await later.books.close()
  })

  test('changes and heads for two hours after they were taken up, also the heads below a head', async () => {
    const directory = newBooksFolder()
    const { books } = await openAt(directory)
    const first = headOf(1)
    const second = headOf(2, { on: first })
    books.take(organizationId, second)
    const names = [first, second].flatMap(({ tag, changeKey }) => [tag, changeKey])
    expect([...names, newKey()].map(books.isKnown)).toEqual([true, true, true, true, false])
    await books.sync()
    const copy = copyOfFolder(directory)
    const inTime = await reopen(books, directory, startMs + requestMsMax)
    expect([...names, newKey()].map(inTime.books.isKnown)).toEqual([true, true, true, true, false])
    await inTime.books.close()
    const late = await openAt(copy, startMs + requestMsMax + 1)
    expect(names.map(late.books.isKnown)).toEqual([false, false, false, false])
    expect(late.books.newest(organizationId)).toEqual(second)
    await late.books.close()
  })

  test('counts until they have ended', async () => {
    const directory = newBooksFolder()
    const { books } = await openAt(directory)
    const [long, short] = [countOf(5n), countOf(7n, { keptMs: minuteMs })]
    books.count([long, short])
    books.count([{ ...long, amount: 3n }])
    await books.sync()
    const later = await reopen(books, directory, startMs + minuteMs)
    expect(later.books.amounts(long.name, undefined)).toEqual([{ atMs: startMs, amount: 5n }])
    expect(later.books.amounts(long.name, long.countKey)).toEqual([])
    expect(later.books.amounts(short.name, undefined)).toEqual([])
    await later.books.close()
  })

  test('no lost heads', async () => {
    const directory = newBooksFolder()
    const { books } = await openAt(directory)
    const first = headOf(1)
    const lost = headOf(2, { maker: books.journalId(), on: first })
    books.take(organizationId, first)
    books.lose([lost.tag])
    expect(books.isLost(lost.tag)).toBe(true)
    expect(books.take(organizationId, lost)).toBe('fork')
    await books.sync()
    const later = await reopen(books, directory)
    expect(later.books.isLost(lost.tag)).toBe(false)
    expect(later.books.take(organizationId, lost)).toBe('above')
    await later.books.close()
  })

  test('the same entries after the journal was compacted, and at many starts', async () => {
    const directory = newBooksFolder()
    const nowMs = () => startMs
    const first = await openTestBooks(directory, {
      nowMs,
      openJournal: (options) => openJournal({ ...options, segmentBytes: 2 * payloadBytesMax }),
    })
    const count = countOf(1n)
    const forgotten = headOf(1)
    let newest = headOf(1)
    first.count([count])
    first.take(another, forgotten)
    await first.forgetHeads()
    first.take(organizationId, newest)
    // Enough entries that a snapshot replaces segments.
    const filling = { name: newKey(), countKey: newKey(), atMs: startMs, untilMs: startMs + minuteMs }
    for (let amount = 1n; !readdirSync(directory).some((name) => name.endsWith('.snapshot')); amount += 1n) {
      for (let more = 0n; more < 1_000n; more += 1n) first.count([{ ...filling, amount: 1_000n * amount + more }])
      newest = headOf(newest.version + 1, { maker: first.journalId(), on: newest })
      first.take(organizationId, newest)
      await first.sync()
    }
    await first.close()
    for (let start = 0; start < 2; start += 1) {
      const { books } = await openAt(directory)
      expect(books.journalId()).toBe(first.journalId())
      expect(books.newest(organizationId)).toEqual(newest)
      expect(books.newest(another)).toBeUndefined()
      expect(books.amounts(count.name, undefined)).toEqual([{ atMs: startMs, amount: 1n }])
      expect(books.amounts(filling.name, undefined)).toEqual(first.amounts(filling.name, undefined))
      for (const { tag, changeKey } of [forgotten, newest, ...newest.below.values()]) {
        expect([tag, changeKey].map(books.isKnown)).toEqual([true, true])
      }
      await books.close()
    }
  })
})

describe('the clock', () => {
  async function written(atMs: number): Promise<string> {
    const directory = newBooksFolder()
    const { books, clock } = await openAt(directory)
    clock.ms = atMs
    books.take(organizationId, headOf(1))
    await books.close()
    return directory
  }

  test('stops the start when it is more than five minutes behind the last entry, and says both times', async () => {
    const directory = await written(startMs)
    const opened = openAt(directory, startMs - 5 * minuteMs - 1)
    await expect(opened).rejects.toBeInstanceOf(UnsealError)
    const [now, last] = [startMs - 5 * minuteMs - 1, startMs].map((ms) => new Date(ms).toISOString())
    await expect(opened).rejects.toThrow(
      `the clock says ${now}, but the journal in ${directory} was last written at ${last}: set the clock, then start again`,
    )
    const { books } = await openAt(directory, startMs)
    await books.close()
  })

  test('may be five minutes behind: time begins no earlier than the last entry', async () => {
    const directory = await written(startMs + 3 * minuteMs)
    const lastMs = startMs + 3 * minuteMs
    for (const behindMs of [5 * minuteMs, minuteMs, 0]) {
      const { books } = await openAt(directory, lastMs - behindMs)
      expect('lastMs' in books ? books.lastMs : undefined).toBe(lastMs)
      await books.close()
    }
  })

  test('is compared with the last entry of any kind', async () => {
    const directory = newBooksFolder()
    const { books, clock } = await openAt(directory)
    books.take(organizationId, headOf(1))
    books.count([countOf(1n, { atMs: startMs + 2 })])
    await books.sync()
    clock.ms = startMs + 9
    await books.forgetHeads()
    await books.close()
    const later = await openTestBooks(directory, { nowMs: () => startMs + 20 })
    expect(later.lastMs).toBe(startMs + 9)
    await later.close()
  })

  test('that is far ahead only lets entries lapse', async () => {
    const directory = await written(startMs)
    const { books } = await openAt(directory, startMs + 365 * 24 * 60 * minuteMs)
    expect(books.newest(organizationId)?.version).toBe(1)
    await books.close()
  })
})

test('counts that were forgotten with their group stay forgotten, and others count for ever', async () => {
  const directory = newBooksFolder()
  const { books, clock } = await openAt(directory)
  const [group, name, kept] = [newKey(), newKey(), newKey()]
  const forEver = { untilMs: foreverMs }
  books.count([{ ...countOf(5n, { name }), ...forEver, group }])
  books.count([{ ...countOf(7n, { name: kept }), ...forEver, group: newKey() }])
  books.forgetCounts([group])
  expect(books.amounts(name, undefined)).toEqual([])
  const laterMs = startMs + 1_000 * 24 * 60 * minuteMs
  clock.ms = laterMs
  await books.sync()
  let again = await reopen(books, directory, laterMs)
  for (let start = 0; start < 3; start += 1) {
    expect(again.books.amounts(name, undefined)).toEqual([])
    expect(again.books.amounts(kept, undefined)).toEqual([{ atMs: startMs, amount: 7n }])
    again = await reopen(again.books, again.directory, laterMs)
  }
})

test('a group that comes back with a backup counts again, also after a restart', async () => {
  const directory = newBooksFolder()
  const { books } = await openAt(directory)
  const [group, name] = [newKey(), newKey()]
  const counted = { name, group, untilMs: foreverMs }
  books.count([{ ...countOf(5n), ...counted }])
  books.forgetCounts([group])
  await books.forgetHeads()
  books.count([{ ...countOf(3n), ...counted, countKey: newKey() }])
  await books.sync()
  let again = await reopen(books, directory)
  for (let start = 0; start < 3; start += 1) {
    expect(again.books.amounts(name, undefined)).toEqual([{ atMs: startMs, amount: 3n }])
    again = await reopen(again.books, again.directory)
  }
})

describe('forgetting heads', () => {
  test('makes the books trust the next head of each organization, and keeps counts and changes', async () => {
    const directory = newBooksFolder()
    const { books } = await openAt(directory)
    const journalId = books.journalId()
    const head = headOf(5)
    const count = countOf(3n)
    books.take(organizationId, head)
    books.take(another, headOf(9))
    books.count([count])
    await books.forgetHeads()
    const expectForgotten = (each: Books) => {
      expect(each.journalId()).not.toBe(journalId)
      expect([...each.organizations()]).toEqual([])
      expect(each.newest(organizationId)).toBeUndefined()
      expect(each.isKnown(head.changeKey)).toBe(true)
      expect(each.amounts(count.name, undefined)).toEqual([{ atMs: startMs, amount: 3n }])
    }
    expectForgotten(books)
    const later = await reopen(books, directory)
    expectForgotten(later.books)
    expect(later.books.journalId()).toBe(books.journalId())
    const restored = headOf(2)
    expect(later.books.take(organizationId, restored)).toBe('above')
    await later.books.sync()
    const last = await reopen(later.books, later.directory)
    expect(last.books.newest(organizationId)).toEqual(restored)
    await last.books.close()
  })
})

test('a head that was decided before a restored database was accepted is not confirmed', async () => {
  const { books } = await openAt(newBooksFolder())
  const first = headOf(1)
  const own = headOf(2, { maker: books.journalId(), on: first })
  await books.forgetHeads()
  books.take(organizationId, first) // The database shows it still.
  const settling = decisionBooks(books).settle([{ organizationId, head: own, forgets: [] }])
  await expect(settling).rejects.toBeInstanceOf(JournalUnavailable)
  expect(books.newest(organizationId)).toEqual(first)
  await books.close()
})

describe('a head that was decided here', () => {
  test('is known to be taken up once it, or a head made on it, is taken up', async () => {
    const { books } = await openAt(newBooksFolder())
    const first = headOf(1)
    const own = headOf(2, { maker: books.journalId(), on: first })
    const sibling = headOf(2, { maker: books.journalId(), on: first })
    const next = headOf(3, { on: own })
    books.take(organizationId, first)
    books.expect([own, sibling].map(({ tag }) => ({ tag, facts: [] })))
    expect([own.tag, sibling.tag].map(books.isTaken)).toEqual([false, false])
    expect(books.take(organizationId, next)).toBe('above')
    expect(books.take(organizationId, own)).toBe('behind')
    expect([own.tag, sibling.tag, next.tag].map(books.isTaken)).toEqual([true, false, false])
    books.dismiss([own.tag])
    expect(books.isTaken(own.tag)).toBe(false)
    await books.close()
  })
})

describe('a head is on disk', () => {
  test('once a sync that began after it was taken up has ended', async () => {
    const { books } = await openAt(newBooksFolder())
    expect(books.isSynced(organizationId)).toBe(true)
    const first = headOf(1)
    books.take(organizationId, first)
    expect(books.isSynced(organizationId)).toBe(false)
    const syncing = books.sync()
    books.take(another, headOf(1))
    const second = headOf(2, { on: first })
    await syncing
    expect([organizationId, another].map(books.isSynced)).toEqual([true, false])
    const again = books.sync()
    books.take(organizationId, second)
    await again
    expect([organizationId, another].map(books.isSynced)).toEqual([false, true])
    await books.sync()
    expect(books.isSynced(organizationId)).toBe(true)
    await books.close()
  })

  test('and presenting it again changes nothing', async () => {
    const { books } = await openAt(newBooksFolder())
    const first = headOf(1)
    books.take(organizationId, first)
    expect(books.take(organizationId, first)).toBe('newest')
    expect(books.isSynced(organizationId)).toBe(false)
    await books.sync()
    expect(books.take(organizationId, first)).toBe('newest')
    expect(books.isSynced(organizationId)).toBe(true)
    await books.close()
  })
})

describe('a journal that cannot be written', () => {
  test('because its folder is gone rejects waiting syncs, and says so from then on', async () => {
    const directory = newBooksFolder()
    const { books, superseded } = await openAt(directory)
    books.take(organizationId, headOf(1))
    await books.sync()
    expect(books.unavailable()).toBeUndefined()
    rmSync(directory, { recursive: true })
    books.take(another, headOf(1))
    await expect(books.sync()).rejects.toBeInstanceOf(JournalUnavailable)
    expect([organizationId, another].map(books.isSynced)).toEqual([true, false])
    expect(books.unavailable()).toContain('gone')
    expect(superseded.count).toBe(1)
    // The books still know their entries, so queries go on.
    expect(books.newest(organizationId)?.version).toBe(1)
    await books.close().catch(() => {})
  })

  test('because other books were opened in its folder says so, and reports it once', async () => {
    const directory = newBooksFolder()
    const older = await openAt(directory)
    const newer = await openAt(directory)
    older.books.take(organizationId, headOf(1))
    await expect(older.books.sync()).rejects.toBeInstanceOf(JournalUnavailable)
    await expect(older.books.sync()).rejects.toBeInstanceOf(JournalUnavailable)
    expect(older.superseded.count).toBe(1)
    expect(newer.books.journalId()).toBe(older.books.journalId())
    newer.books.take(organizationId, headOf(2))
    await newer.books.sync()
    await older.books.close().catch(() => {})
    await newer.books.close()
    expect(newer.superseded.count).toBe(0)
  })

  test('counts no entry that it refuses', async () => {
    let isFull = false
    const books = await openTestBooks(newBooksFolder(), {
      nowMs: () => startMs,
      openJournal: async (options) => {
        const journal = await openJournal(options)
        const append = (payload: Uint8Array) => {
          if (isFull) throw new JournalUnavailable('too much waits')
          journal.append(payload)
        }
        return { ...journal, append }
      },
    })
    const count = countOf(1n)
    isFull = true
    expect(() => books.count([count])).toThrow(JournalUnavailable)
    expect(books.amounts(count.name, undefined)).toEqual([])
    isFull = false
    books.count([count])
    expect(books.amounts(count.name, undefined)).toEqual([{ atMs: startMs, amount: 1n }])
    await books.close()
  })

  test('at the start is an error for the operator, with the folder', async () => {
    const directory = newBooksFolder()
    rmSync(directory, { recursive: true })
    const { books } = await openAt(directory) // The folder is made if it is missing.
    await books.close()
    const inTheWay = join(directory, 'file')
    writeFileSync(inTheWay, '')
    const opened = openTestBooks(join(inTheWay, 'journal'))
    await expect(opened).rejects.toBeInstanceOf(UnsealError)
    await expect(opened).rejects.toThrow(inTheWay)
  })
})

function openFilesIn(directory: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(join('/proc/self/fd', descriptor))
      return path.startsWith(directory) ? [path] : []
    } catch {
      return [] // The file was open while the folder was read.
    }
  })
}

describe('a start that fails', () => {
  test('leaves no file open behind it', async () => {
    const directory = newBooksFolder()
    const { books } = await openAt(directory)
    await books.close()
    await expect(openAt(directory, startMs - 60 * minuteMs)).rejects.toBeInstanceOf(UnsealError)
    expect(openFilesIn(directory)).toEqual([])
    mkdirSync(join(directory, 'ab'))
    writeFileSync(join(directory, 'ab', 'damaged'), '')
    await expect(openAt(directory)).rejects.toBeInstanceOf(UnsealError)
    expect(openFilesIn(directory)).toEqual([])
  })
})

test('names are equal for equal parts, and different for different parts', () => {
  const change = { organizationId, requestKey: 'key', version: 1 }
  const names = [
    changeKeyOf(change),
    changeKeyOf({ ...change, version: 2 }),
    changeKeyOf({ ...change, requestKey: 'other' }),
    changeKeyOf({ ...change, organizationId: another }),
    countKeyOf(organizationId, 'key'),
    countKeyOf(another, 'key'),
    countNameOf(organizationId, ['a', 'b']),
    countNameOf(organizationId, ['a b']),
    countNameOf(organizationId, ['a', 'b', '']),
    countNameOf(another, ['a', 'b']),
  ]
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[0-9a-f]{32}$/)
  expect(changeKeyOf({ ...change })).toBe(names[0])
})

describe('the transparency log', () => {
  async function openWith(changed: (journal: Journal) => Journal, directory = newBooksFolder()) {
    const openChanged: typeof openJournal = async (options) => changed(await openJournal(options))
    return { books: await openTestBooks(directory, { nowMs: () => startMs, openJournal: openChanged }) }
  }

  /** Books whose journal tells what was appended together. */
  async function openWatched(directory: string) {
    const appended: Buffer[] = []
    const watched = (journal: Journal): Journal => ({
      ...journal,
      append(payload) {
        appended.push(Buffer.from(payload))
        journal.append(payload)
      },
    })
    return { ...(await openWith(watched, directory)), appended }
  }

  const entriesOf = ({ transparency }: Pick<Books, 'transparency'>) =>
    transparency.kept().entries.map((entry) => decodeLogEntry(entry))

  const factOf = (head: BookedHead): LoggedFact => ({
    ...{ atMs: startMs, organizationId, activity: undefined, changeKey: head.changeKey, restsOn: undefined },
    makes: { version: head.version, tag: head.tag },
  })

  test('has a decided head in the frame that takes it up, however it comes, and once', async () => {
    for (const isShownFirst of [false, true]) {
      const { books, appended } = await openWatched(newBooksFolder())
      const first = headOf(1)
      const own = headOf(2, { maker: books.journalId(), on: first })
      const next = headOf(3, { on: own })
      books.take(organizationId, first)
      books.expect([{ tag: own.tag, facts: [factOf(own)] }])
      expect(entriesOf(books)).toEqual([])
      const before = appended.length
      books.take(organizationId, isShownFirst ? next : own)
      expect(appended.length).toBe(before + 1)
      const kinds: string[] = []
      const found = (kind: string) => () => kinds.push(kind)
      readEntries(appended.at(-1) ?? Buffer.of(), {
        ...{ head: found('head'), log: found('log'), count: found('count') },
        ...{ forget: found('forget'), began: found('began'), keys: found('keys') },
      })
      expect(kinds).toEqual(['head', 'log'])
      books.take(organizationId, next)
      expect(entriesOf(books)).toEqual([{ ...factOf(own), number: 1, before: undefined }])
      await books.close()
    }
  })

  test('gets a late entry for a head of this journal that a start finds in the database', async () => {
    const directory = newBooksFolder()
    const { books } = await openWatched(directory)
    const first = headOf(1)
    const own = headOf(2, { maker: books.journalId(), on: first })
    books.take(organizationId, first)
    books.expect([{ tag: own.tag, facts: [factOf(own)] }])
    await books.sync()
    await books.close() // It was committed and never confirmed.
    const later = await openWatched(directory)
    later.books.take(organizationId, headOf(3, { on: own }))
    const late = { isLate: true, isTakenUp: true, number: 1, before: undefined } as const
    expect(entriesOf(later.books)).toEqual([{ ...factOf(own), ...late }])
    await later.books.close()
  })

  test('signs checkpoints of entries that are on disk, and finds them again', async () => {
    const directory = newBooksFolder()
    const { books } = await openWatched(directory)
    const sign = ({ size }: { readonly size: number }) => Buffer.from(`tree of ${size}`)
    expect(await books.transparency.renew(sign)).toBeUndefined()
    const first = headOf(1, { maker: books.journalId() })
    books.take(organizationId, first)
    expect(await books.transparency.renew(sign)).toEqual({ size: 1, note: sign({ size: 1 }) })
    expect(await books.transparency.renew(() => Buffer.from('another'))).toEqual({ size: 1, note: sign({ size: 1 }) })
    const { origin, kept } = books.transparency
    expect(origin()).toBe(`localhost/log/${books.journalId()}`)
    const before = { origin: origin(), ...kept() }
    await books.close()
    const later = await openWatched(directory)
    expect({ origin: later.books.transparency.origin(), ...later.books.transparency.kept() }).toEqual(before)
    expect(await later.books.transparency.renew(sign)).toMatchObject({ size: 1 })
    await later.books.close()
  })

  test('shows no checkpoint that is not on disk, whatever the journal takes', async () => {
    for (const broken of ['append', 'sync'] as const) {
      let isBroken = false
      const { books } = await openWith((journal) => ({
        ...journal,
        [broken](payload: Uint8Array) {
          if (isBroken) throw new JournalUnavailable('the disk is full')
          return journal[broken](payload)
        },
      }))
      const signed: number[] = []
      const sign = ({ size }: { readonly size: number }) => Buffer.from(`tree ${signed.push(size)}`)
      books.take(organizationId, headOf(1, { maker: books.journalId() }))
      await books.sync()
      isBroken = true
      for (let look = 0; look < 3; look += 1) expect(await books.transparency.renew(sign)).toBeUndefined()
      isBroken = false
      expect(await books.transparency.renew(sign)).toMatchObject({ size: 1 })
      await books.close()
    }
  })

  test('goes on from the entries before those that a loss of power took, whatever it left of later ones', async () => {
    const named = (changeKey: string): LoggedFact => ({ ...factOf(headOf(1)), makes: undefined, changeKey })
    /** Opens books whose journal is two lists. `frames` gets what it keeps. */
    async function openOn(frames: Uint8Array[], entered: readonly Uint8Array[]) {
      const warnings: string[] = []
      const snapshots: Uint8Array[] = []
      const books = await openTestBooks(newBooksFolder(), {
        nowMs: () => startMs,
        log: { warn: (_fields, what) => warnings.push(what) },
        async openJournal({ onPayload, onEntered, snapshot }) {
          for (const payload of [...frames]) onPayload(payload)
          frames.push(...entered.map(onEntered))
          const append = (payload: Uint8Array) => void frames.push(Uint8Array.from(payload))
          const enter = async (payload: Uint8Array) => {
            append(payload)
            snapshots.push(Buffer.concat([...snapshot()]))
          }
          return { append, enter, sync: async () => {}, unavailable: () => undefined, close: async () => {} }
        },
      })
      return { books, warnings, snapshots }
    }
    const frames: Uint8Array[] = []
    const before = await openOn(frames, [])
    const begun = frames.length
    for (const changeKey of ['0a', '0b', '0c']) await before.books.enter([named(changeKey.repeat(16))])
    const [, ...withoutFirst] = frames.splice(begun)

    const after = await openOn(frames, withoutFirst)
    expect(after.warnings).toEqual(['the last entries of the transparency log were lost with the power'])
    for (const changeKey of ['1a', '1b', '1c']) await after.books.enter([named(changeKey.repeat(16))])
    const kept = after.books.transparency.kept()
    expect(entriesOf(after.books).map((entry) => entry?.changeKey.slice(0, 2))).toEqual(['1a', '1b', '1c'])
    // A snapshot that was made between any of them replaces what is older than that start.
    for (const snapshot of [Buffer.concat(frames.slice(0, begun)), ...after.snapshots]) {
      const later = await openOn([snapshot, ...frames.slice(begun)], [])
      expect([later.warnings, later.books.transparency.kept()]).toEqual([[], kept])
    }
  })

  test('keeps its name when the operator accepts a restored database', async () => {
    const { books } = await openWatched(newBooksFolder())
    const origin = books.transparency.origin()
    await books.forgetHeads()
    expect(books.transparency.origin()).toBe(origin)
    expect(origin).not.toContain(books.journalId())
    await books.close()
  })
})
