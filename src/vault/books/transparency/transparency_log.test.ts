import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashOfLogEntry } from '../../../protocol/log/encode_entry.ts'
import { decodeLogEntry, documentBytesMax, type LoggedFact, noOrganizationId } from '../../../protocol/log/log_entry.ts'
import { tileWidth, writeEntries } from '../../../protocol/log/tree/tiles.ts'
import { emptyFrontier, grown, leafHash, rootOf } from '../../../protocol/log/tree/tree.ts'
import { EntryError } from '../entry_error.ts'
import type { Piece } from '../head_table.ts'
import { logEntryLength } from './journal_entries.ts'
import { createTransparencyLog, type TransparencyLog } from './transparency_log.ts'

const journalId = '0a'.repeat(16)
const organizations = [
  ...['01234567-89ab-7cde-8f01-23456789abcd', '01234567-89ab-7cde-8f01-2345678900ef'],
  noOrganizationId,
] as const
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((each) => Buffer.from(each).toString('hex'))
const head = fc.record({ version: fc.integer({ min: 1, max: 2 ** 48 - 1 }), tag: hex(16) })
const text = fc.stringMatching(/^[A-Z0-9_]{0,60}$/)

const facts: fc.Arbitrary<LoggedFact> = fc.record(
  {
    atMs: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
    isLate: fc.constant(true as const),
    isTakenUp: fc.constant(true as const),
    isOfOperator: fc.constant(true as const),
    organizationId: fc.constantFrom(...organizations),
    activity: fc.option(
      fc.record({
        activityId: fc.uuid(),
        version: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
        type: text,
        status: text,
        documentDigest: hex(32),
      }),
      { nil: undefined },
    ),
    changeKey: hex(16),
    restsOn: fc.option(head, { nil: undefined }),
    makes: fc.option(head, { nil: undefined }),
    document: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  },
  { requiredKeys: ['atMs', 'organizationId', 'activity', 'changeKey', 'restsOn', 'makes'] },
)

/** A log, with the entries of its journal so far. */
function newLog() {
  const log = createTransparencyLog()
  const journal = [log.begin(`wallets.example/log/${journalId}`)]
  const enter = (entered: readonly LoggedFact[]) => log.enter(entered, journalId, (entry) => journal.push(entry))
  return { log, journal, enter }
}

function replayed(journal: readonly Buffer[]): TransparencyLog {
  const log = createTransparencyLog()
  for (const bytes of journal) for (const piece of piecesOf(bytes)) log.replay(piece, journalId)
  return log
}

/** The entries of the journal that are appended together. */
function* piecesOf(bytes: Buffer): Iterable<Piece> {
  for (let start = 0; start < bytes.length; ) {
    const end = start + (logEntryLength(bytes, start) ?? Number.NaN)
    yield { bytes, start, end }
    start = end
  }
}

function stateOf(log: TransparencyLog) {
  const { from, entries } = log.kept()
  const signed = log.signed()
  const note = signed && Buffer.from(signed.note).toString()
  const recorded = Array.from({ length: log.tree().size }, (_, index) => log.isRecorded(index))
  return {
    recorded,
    origin: log.origin(),
    tree: log.tree(),
    signed: signed?.size,
    note,
    from,
    entries: entries.map(String),
  }
}

describe('an entry', () => {
  test('has the number and the place of the one before it of its organization, and what was said', () => {
    fc.assert(
      fc.property(fc.array(fc.array(facts, { minLength: 1, maxLength: 3 }), { maxLength: 12 }), (together) => {
        const { log, enter } = newLog()
        for (const each of together) enter(each)
        const last = new Map<string, { readonly number: number; readonly index: number }>()
        const { entries } = log.kept()
        expect(entries.length).toBe(together.flat().length)
        for (const [index, fact] of together.flat().entries()) {
          const before = last.get(fact.organizationId)
          const number = (before?.number ?? 0) + 1
          expect(decodeLogEntry(entries[index] ?? Buffer.of())).toEqual({ ...fact, number, before: before?.index })
          last.set(fact.organizationId, { number, index })
        }
      }),
    )
  })

  test('is not entered if the journal does not take it', () => {
    const { log, enter } = newLog()
    const [fact] = fc.sample(facts, 1)
    if (fact === undefined) throw new Error('no fact')
    enter([fact])
    const before = stateOf(log)
    const refuse = () => {
      throw new Error('full')
    }
    expect(() => log.enter([fact], journalId, refuse)).toThrow('full')
    expect(stateOf(log)).toEqual(before)
    enter([fact])
    expect(decodeLogEntry(log.kept().entries[1] ?? Buffer.of())).toMatchObject({ number: 2, before: 0 })
  })

  test('has a document of at most 4,096 bytes', () => {
    const { enter } = newLog()
    const [fact] = fc.sample(facts, 1)
    if (fact === undefined) throw new Error('no fact')
    enter([{ ...fact, document: 'ü'.repeat(documentBytesMax / 2) }])
    expect(() => enter([{ ...fact, document: `${'ü'.repeat(documentBytesMax / 2)}.` }])).toThrow(RangeError)
  })

  test('is read in one form only', () => {
    fc.assert(
      fc.property(facts, fc.nat(), fc.integer({ min: 1, max: 255 }), (fact, place, mask) => {
        const { log, enter } = newLog()
        enter([fact])
        const [entry = Buffer.of()] = log.kept().entries
        const changed = Buffer.from(entry)
        const at = place % changed.length
        changed[at] = (changed[at] ?? 0) ^ mask
        for (const bytes of [changed, entry.subarray(0, at), Buffer.concat([entry, Buffer.of(0)])]) {
          const decoded = decodeLogEntry(bytes)
          expect(decoded).not.toEqual(decodeLogEntry(entry))
        }
      }),
    )
  })

  test('of any bytes is read or is none', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) => void decodeLogEntry(bytes)))
  })
})

test('the tree is that of the SHA-256 of the entries', () => {
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 40 }), (entered) => {
      const { log, enter } = newLog()
      for (const fact of entered) enter([fact])
      const tree = log
        .kept()
        .entries.reduce((grew, entry) => grown(grew, leafHash(hashOfLogEntry(entry))), emptyFrontier)
      expect(rootOf(log.tree())).toEqual(rootOf(tree))
    }),
  )
})

describe('a start finds', () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 8, arbitrary: fc.array(facts, { minLength: 1, maxLength: 90 }) },
      {
        weight: 2,
        arbitrary: fc.constantFrom('forget' as const, 'sign' as const, 'compact' as const, 'record' as const),
      },
    ),
    { minLength: 1, maxLength: 30 },
  )

  test('the same log, also from a compacted journal and what it replaced', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const { log, journal: segments, enter } = newLog()
        for (const step of taken) {
          if (Array.isArray(step)) {
            // A snapshot is made piece by piece, and entries come in between.
            enter(step)
          } else if (step === 'sign') {
            if (log.tree().size > (log.signed()?.size ?? 0))
              log.sign({ size: log.tree().size, note: Buffer.from(`tree of ${log.tree().size}`) }, (entry) =>
                segments.push(entry),
              )
          } else if (step === 'record') {
            const indexes = Array.from({ length: log.tree().size }, (_, index) => index).filter((each) => each % 3 > 0)
            log.record(indexes, (entry) => segments.push(entry))
            expect(indexes.every(log.isRecorded)).toBe(true)
          } else if (step === 'forget') {
            const { entries } = log.kept()
            const forgotten = log.forget(writeEntries(entries.slice(0, tileWidth)))
            expect(forgotten !== undefined).toBe(entries.length >= tileWidth)
            if (forgotten !== undefined) segments.push(forgotten)
          } else {
            const before = [...segments]
            const snapshot: Buffer[] = []
            const [more] = fc.sample(facts, 1)
            for (const [at, piece] of [...log.snapshot()].map((each) => Buffer.from(each)).entries()) {
              snapshot.push(piece)
              if (at === 1 && more !== undefined) enter([more])
            }
            expect(stateOf(replayed([...snapshot, ...before, ...segments.slice(before.length)]))).toEqual(stateOf(log))
            segments.splice(0, segments.length, ...snapshot, ...segments.slice(before.length))
          }
          expect(stateOf(replayed(segments))).toEqual(stateOf(log))
        }
      }),
      { numRuns: 60 },
    )
  })

  test('the entries before one that is missing, unless a checkpoint covers that one', () => {
    const { log, journal, enter } = newLog()
    for (const fact of fc.sample(facts, 5)) enter([fact])
    const without = (missing: number) => journal.filter((_, index) => index !== missing)
    for (const missing of [1, 2, 3, 4, 5]) {
      const found = replayed(without(missing))
      expect([found.tree().size, found.replayed().lost]).toEqual([missing - 1, 5 - missing])
    }
    log.sign({ size: 5, note: Buffer.from('tree of 5') }, (entry) => journal.push(entry))
    for (const missing of [1, 2, 3, 4, 5]) expect(() => replayed(without(missing)).replayed()).toThrow(EntryError)
    expect(replayed(journal).replayed()).toEqual({ lost: 0 })
  })
})

test('only the oldest bundle is forgotten, and only by its own bytes', () => {
  const { log, enter } = newLog()
  for (const fact of fc.sample(facts, 2 * tileWidth + 3)) enter([fact])
  const { entries } = log.kept()
  const first = writeEntries(entries.slice(0, tileWidth))
  const second = writeEntries(entries.slice(tileWidth, 2 * tileWidth))
  const damaged = Buffer.from(first)
  damaged[77] = (damaged[77] ?? 0) ^ 1
  for (const wrong of [second, damaged, first.subarray(1), Buffer.of()]) expect(log.forget(wrong)).toBeUndefined()
  expect(log.kept()).toEqual({ from: 0, entries })
  for (const bundle of [first, second]) expect(log.forget(bundle)).toBeDefined()
  expect(log.kept()).toEqual({ from: 512, entries: entries.slice(512) })
  expect(log.forget(writeEntries(entries.slice(512)))).toBeUndefined()
})

describe('the head that has no entry yet', () => {
  const organizationId = organizations[0]
  const other = '0b'.repeat(16)
  const named = (version: number) => ({ version, tag: '0c'.repeat(16), changeKey: '0d'.repeat(16) })
  const madeBy = (maker: string, version: number, below: [string, number][] = []) => ({
    ...named(version),
    maker,
    below: new Map(below.map(([id, lower]) => [id, named(lower)])),
  })
  const entered = (version: number): LoggedFact => ({
    ...{ atMs: 1, organizationId, activity: undefined, changeKey: '0d'.repeat(16), restsOn: undefined },
    makes: { version, tag: '0c'.repeat(16) },
  })

  test('is that of this journal, or its newest one below that of another', () => {
    const { log, enter } = newLog()
    expect(log.unentered(organizationId, madeBy(journalId, 1), journalId)).toEqual(named(1))
    expect(log.unentered(organizationId, madeBy(other, 3, [[journalId, 2]]), journalId)).toEqual(named(2))
    expect(log.unentered(organizationId, madeBy(other, 3), journalId)).toBeUndefined()
    enter([entered(2)])
    expect(log.unentered(organizationId, madeBy(other, 3, [[journalId, 2]]), journalId)).toBeUndefined()
    expect(log.unentered(organizationId, madeBy(journalId, 4), journalId)).toEqual(named(4))
  })

  test('is one in the place of another: that one had its entry, and a killed process left nothing else of it', () => {
    const { log, enter } = newLog()
    enter([entered(2)])
    const instead = { ...madeBy(journalId, 2), tag: '0f'.repeat(16) }
    expect(log.unentered(organizationId, instead, journalId)).toEqual({ ...named(2), tag: instead.tag })
    enter([{ ...entered(2), makes: { version: 2, tag: instead.tag } }])
    expect(log.unentered(organizationId, instead, journalId)).toBeUndefined()
  })

  test('is found with lower versions after a restored database was accepted', () => {
    const { log, enter } = newLog()
    enter([entered(9)])
    const later = '0e'.repeat(16)
    expect(log.unentered(organizationId, madeBy(later, 5), later)).toEqual(named(5))
  })
})
