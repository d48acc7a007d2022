import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createHeadTable, type HeadTable } from './head_table.ts'

const numRuns = Number(process.env.CLAVIGER_CASES ?? 300)

function idOf(number: number): string {
  return `01234567-89ab-7cde-8f01-${number.toString(16).padStart(12, '0')}`
}

const idOffset = 2

/** An entry that holds its organization's id, so that a mix-up shows. */
function entryOf(id: string, bytes: number, fill: number): Buffer {
  const idBytes = Buffer.from(id.replaceAll('-', ''), 'hex')
  return Buffer.concat([Buffer.alloc(idOffset, fill), idBytes, Buffer.from(id), Buffer.alloc(bytes, fill)])
}

/** Sets an entry that stands between other bytes, as in a payload of a journal. */
function set(heads: HeadTable, entry: Buffer): void {
  heads.set({ bytes: Buffer.concat([Buffer.alloc(3), entry, Buffer.alloc(5)]), start: 3, end: 3 + entry.length })
}

function expectSame(heads: HeadTable, reference: ReadonlyMap<string, Buffer>): void {
  expect(heads.size).toBe(reference.size)
  const wrong = [...reference].filter(([id, entry]) => heads.get(id)?.equals(entry) !== true)
  expect(wrong.map(([id]) => id)).toEqual([])
  const sorted = (entries: Iterable<Buffer>) => [...entries].map((entry) => entry.toString('latin1')).sort()
  expect(sorted(heads.entries()).join() === sorted(reference.values()).join()).toBe(true)
}

/** Ids that share all but one of their parts. */
const alike = [
  idOf(1),
  idOf(2),
  'f1234567-89ab-7cde-8f01-000000000001',
  '01234567-89ab-7cde-0f01-000000000001',
  '01234567-89ab-7cde-8f01-100000000001',
  '01234567-89ab-7cde-8f01-000100000001',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
]

test('it finds the same entries as a Map, with similar ids and entries of any size', () => {
  const ids = fc.oneof(fc.constantFrom(...alike), fc.nat(2000).map(idOf))
  const setting = fc.record({ id: ids, bytes: fc.oneof(fc.nat(200), fc.nat(14_000)), fill: fc.nat(255) })
  const clear = fc.constant('clear' as const)
  const step = fc.oneof({ weight: 40, arbitrary: setting }, { weight: 1, arbitrary: clear })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), fc.constantFrom(16_384, 1_048_576), (steps, chunkBytes) => {
      const heads = createHeadTable({ chunkBytes, idOffset })
      const reference = new Map<string, Buffer>()
      for (const step of steps) {
        if (step === 'clear') {
          heads.clear()
          reference.clear()
          continue
        }
        const entry = entryOf(step.id, step.bytes, step.fill)
        expect(heads.get(step.id)?.toString()).toBe(reference.get(step.id)?.toString())
        set(heads, entry)
        reference.set(step.id, entry)
      }
      expectSame(heads, reference)
      expect(heads.get(idOf(99_999))).toBeUndefined()
    }),
    { numRuns },
  )
})

test('it finds thousands of entries whose ids count up at the end or at the beginning', () => {
  const heads = createHeadTable({ idOffset })
  const reference = new Map<string, Buffer>()
  for (let number = 0; number < 9_000; number += 1) {
    const id = number % 20 !== 0 ? idOf(number) : `${number.toString(16).padStart(8, '0')}-89ab-7cde-8f01-23456789abcd`
    const entry = entryOf(id, number % 100, number % 256)
    set(heads, entry)
    reference.set(id, entry)
  }
  expectSame(heads, reference)
})

test('it finds the last form of an entry that grows, shrinks and grows again', () => {
  const heads = createHeadTable({ chunkBytes: 16_384, idOffset })
  for (const bytes of [10, 1_000, 5, 1_000, 14_000, 0, 100]) {
    for (const id of alike) set(heads, entryOf(id, bytes, 1))
    for (const id of alike) expect(heads.get(id)).toEqual(entryOf(id, bytes, 1))
  }
  expect(heads.size).toBe(alike.length)
})

test('it keeps an entry even if its bytes change afterwards', () => {
  const heads = createHeadTable({ idOffset })
  const entry = entryOf(idOf(1), 4, 7)
  heads.set({ bytes: entry, start: 0, end: entry.length })
  entry.fill(0)
  expect(heads.get(idOf(1))).toEqual(entryOf(idOf(1), 4, 7))
})

test('an id is a UUID and may be in upper case', () => {
  const heads = createHeadTable({ idOffset })
  const entry = entryOf(idOf(0xabc), 0, 1)
  set(heads, entry)
  expect(heads.get(idOf(0xabc).toUpperCase())).toEqual(entry)
  for (const wrong of ['', '0123', `${idOf(1)}00`, 'not an id at all, not an id at all!!']) {
    expect(() => heads.get(wrong)).toThrow('UUID')
  }
})

describe('during an iteration', () => {
  const count = 2_000
  const filled = () => {
    const heads = createHeadTable({ chunkBytes: 16_384, idOffset })
    for (let number = 0; number < count; number += 1) set(heads, entryOf(idOf(number), 8, 1))
    return heads
  }
  const idIn = (entry: Buffer) => entry.toString('latin1', idOffset + 16, idOffset + 52)

  test('setting entries hides no entry and shows none twice', () => {
    const heads = filled()
    const seen: string[] = []
    let next = count
    for (const entry of heads.entries()) {
      seen.push(idIn(entry))
      expect(entry.length).toBeGreaterThanOrEqual(idOffset + 52)
      // Other entries grow, shrink and are added: enough of them to make a new table and new buffers.
      const other = idOf(randomBytes(2).readUInt16BE() % count)
      set(heads, entryOf(other, seen.length % 3 === 0 ? 500 : 2, 2))
      for (let more = 0; more < 3; more += 1) {
        set(heads, entryOf(idOf(next), 8, 3))
        next += 1
      }
    }
    expect(new Set(seen).size).toBe(seen.length)
    const numbers = new Set(seen)
    const ids = Array.from({ length: count }, (_, number) => idOf(number))
    expect(ids.filter((id) => !numbers.has(id))).toEqual([])
    expect(heads.size).toBe(next)
  })

  test('clearing does not hide the entries that were there', () => {
    const heads = filled()
    const seen = new Set<string>()
    for (const entry of heads.entries()) {
      if (seen.size === 10) {
        heads.clear()
        set(heads, entryOf(idOf(1), 900, 9))
      }
      seen.add(idIn(entry))
    }
    expect(seen.size).toBe(count)
    expect([...heads.entries()].map(idIn)).toEqual([idOf(1)])
  })
})
