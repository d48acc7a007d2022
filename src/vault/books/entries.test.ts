import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makersMax } from './booked_head.ts'
import {
  type BeganEntry,
  type CountEntry,
  decodeHead,
  encodeBegan,
  encodeCount,
  encodeForget,
  encodeHead,
  encodeKeys,
  type HeadEntry,
  type KeysEntry,
  keysPerEntryMax,
  readEntries,
} from './entries.ts'
import { EntryError } from './entry_error.ts'
import { encodeFrontier, encodeLogged, encodeOrigin, encodePlace } from './transparency/journal_entries.ts'

const numRuns = Number(process.env.CLAVIGER_CASES ?? 500)
const amountMax = 2n ** 256n - 1n

const id = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex'))
const uuid = fc.uuid()
const number = fc.integer({ min: 0, max: 2 ** 48 - 1 })
const headName = fc.record({ version: number, tag: id, changeKey: id })
const belowSize = fc.oneof({ weight: 20, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.constant(makersMax) })
const below = belowSize.chain((size) =>
  fc.array(fc.tuple(id, headName), { minLength: size, maxLength: size }).map((names) => new Map(names)),
)

const heads: fc.Arbitrary<HeadEntry> = fc.record({
  organizationId: uuid,
  head: fc.record({ version: number, tag: id, changeKey: id, maker: id, below }),
  atMs: number,
  mayBeNext: fc.boolean(),
})
const amounts = fc.oneof(
  fc.bigInt({ min: 0n, max: amountMax }),
  fc.integer({ min: 0, max: 32 }).map((bytes) => 2n ** BigInt(8 * bytes) - 1n),
  fc.integer({ min: 0, max: 31 }).map((bytes) => 2n ** BigInt(8 * bytes)),
)
const counts: fc.Arbitrary<CountEntry> = fc.record(
  { group: id, name: id, countKey: id, amount: amounts, atMs: number, untilMs: number },
  { requiredKeys: ['name', 'countKey', 'amount', 'atMs', 'untilMs'] },
)
const began: fc.Arbitrary<BeganEntry> = fc.record({ journalId: id, atMs: number, forgetsHeads: fc.boolean() })
const keys: fc.Arbitrary<KeysEntry> = fc.record({
  keys: fc.nat(20).map((count) => new Uint8Array(randomBytes(16 * count))),
  atMs: number,
})

const hashes = fc.uint8Array({ minLength: 32, maxLength: 32 })
/** Entries that keep the transparency log, as bytes. */
const logged = fc.oneof(
  fc
    .record({ index: number, entry: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) })
    .map(encodeLogged),
  fc.record({ size: number, hashes: fc.array(hashes, { maxLength: 53 }) }).map(encodeFrontier),
  fc
    .tuple(
      id,
      fc.record({ number, index: fc.integer({ min: 0, max: 2 ** 48 - 2 }), maker: id, version: number, tag: id }),
    )
    .map(([organization, place]) => encodePlace(organization, place)),
  fc.stringMatching(/^[!-~]{0,255}$/).map(encodeOrigin),
)

type Entry =
  | { readonly of: 'head'; readonly entry: HeadEntry }
  | { readonly of: 'count'; readonly entry: CountEntry }
  | { readonly of: 'began'; readonly entry: BeganEntry }
  | { readonly of: 'keys'; readonly entry: KeysEntry }
  | { readonly of: 'forget'; readonly entry: string }
  | { readonly of: 'log'; readonly entry: Uint8Array }

const entries: fc.Arbitrary<Entry> = fc.oneof(
  heads.map((entry) => ({ of: 'head', entry }) as const),
  counts.map((entry) => ({ of: 'count', entry }) as const),
  began.map((entry) => ({ of: 'began', entry }) as const),
  keys.map((entry) => ({ of: 'keys', entry }) as const),
  id.map((entry) => ({ of: 'forget', entry }) as const),
  logged.map((entry) => ({ of: 'log', entry: Uint8Array.from(entry) }) as const),
)

function encode({ of, entry }: Entry): Buffer {
  switch (of) {
    case 'head':
      return encodeHead(entry)
    case 'count':
      return encodeCount(entry)
    case 'began':
      return encodeBegan(entry)
    case 'keys':
      return encodeKeys(entry)
    case 'forget':
      return encodeForget(entry)
    case 'log':
      return Buffer.from(entry)
  }
}

function read(payload: Uint8Array): readonly Entry[] {
  const found: Entry[] = []
  readEntries(payload, {
    head: ({ bytes, start, end }) => found.push({ of: 'head', entry: decodeHead(bytes.subarray(start, end)) }),
    count: (entry) => found.push({ of: 'count', entry }),
    forget: (entry) => found.push({ of: 'forget', entry }),
    began: (entry) => found.push({ of: 'began', entry }),
    keys: ({ keys, atMs }) => found.push({ of: 'keys', entry: { keys: Uint8Array.from(keys), atMs } }),
    log: ({ bytes, start, end }) => found.push({ of: 'log', entry: Uint8Array.from(bytes.subarray(start, end)) }),
  })
  return found
}

test('entries of every kind are read as written and in order, at any offset of the payload', () => {
  fc.assert(
    fc.property(fc.array(entries, { maxLength: 6 }), fc.nat(20), (written, offset) => {
      const bytes = Buffer.concat(written.map(encode))
      const payload = Buffer.concat([Buffer.alloc(offset, 1), bytes]).subarray(offset)
      expect(read(payload)).toEqual(written)
    }),
    { numRuns },
  )
})

test('a head is decoded as it was encoded', () => {
  fc.assert(
    fc.property(heads, (entry) => {
      expect(decodeHead(encodeHead(entry))).toEqual(entry)
    }),
    { numRuns },
  )
})

describe('bytes that are no payload cause an EntryError and no other error', () => {
  function readOrRefuse(payload: Uint8Array): readonly Entry[] | undefined {
    try {
      return read(payload)
    } catch (error) {
      expect(error).toBeInstanceOf(EntryError)
      return undefined
    }
  }

  test('with arbitrary bytes', () => {
    const kinds = fc.tuple(fc.integer({ min: 0, max: 7 }), fc.uint8Array({ maxLength: 300 }))
    const begun = kinds.map(([kind, rest]) => Uint8Array.of(kind, ...rest))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 400 }), begun), (bytes) => void readOrRefuse(bytes)),
      { numRuns: 4 * numRuns },
    )
  })

  test('wherever the last entry is cut', () => {
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 2 }), entries, fc.nat(), (before, last, cut) => {
        const whole = encode(last)
        const payload = Buffer.concat([...before.map(encode), whole.subarray(0, 1 + (cut % (whole.length - 1)))])
        expect(() => read(payload)).toThrow(EntryError)
      }),
      { numRuns },
    )
  })

  test('whichever byte is changed', () => {
    fc.assert(
      fc.property(entries, fc.nat(), fc.integer({ min: 1, max: 255 }), (entry, place, change) => {
        const bytes = encode(entry)
        bytes[place % bytes.length] = (bytes[place % bytes.length] ?? 0) ^ change
        readOrRefuse(bytes)
      }),
      { numRuns: 4 * numRuns },
    )
  })
})

describe('an amount', () => {
  const count = { name: '1'.repeat(32), countKey: '2'.repeat(32), atMs: 1, untilMs: 2 }
  const writtenAs = (amount: bigint) => {
    const [found] = read(encodeCount({ ...count, amount }))
    return found?.of === 'count' ? found.entry.amount : undefined
  }

  test('of more than 256 bits is written as the largest of 256 bits', () => {
    expect(writtenAs(amountMax)).toBe(amountMax)
    for (const amount of [amountMax + 1n, 2n ** 256n + 1n, 2n ** 2048n]) expect(writtenAs(amount)).toBe(amountMax)
  })

  test('takes as many bytes as it needs', () => {
    const bytesOf = (amount: bigint) => encodeCount({ ...count, amount }).length
    expect(bytesOf(0n)).toBe(bytesOf(255n))
    expect(bytesOf(256n) - bytesOf(255n)).toBe(1)
    expect(bytesOf(amountMax) - bytesOf(255n)).toBe(31)
  })

  test('below zero is refused', () => {
    expect(() => encodeCount({ ...count, amount: -1n })).toThrow(EntryError)
  })
})

describe('is refused before it is written', () => {
  const head = { version: 1, tag: '1'.repeat(32), changeKey: '2'.repeat(32), maker: '3'.repeat(32), below: new Map() }
  const entry: HeadEntry = { organizationId: '01234567-89ab-7cde-8f01-23456789abcd', head, atMs: 1, mayBeNext: false }

  test('a head that names more journals than fit', () => {
    const ids = Array.from({ length: makersMax + 1 }, (_, index) => index.toString(16).padStart(32, '0'))
    const names = ids.map((maker) => [maker, { version: 1, tag: maker, changeKey: maker }] as const)
    expect(() => encodeHead({ ...entry, head: { ...head, below: new Map(names) } })).toThrow(EntryError)
    const fitting = { ...entry, head: { ...head, below: new Map(names.slice(1)) } }
    expect(decodeHead(encodeHead(fitting))).toEqual(fitting)
  })

  test('an id that is not 16 bytes in hex', () => {
    for (const wrong of ['', '1'.repeat(31), '1'.repeat(34), `${'1'.repeat(30)}xy`]) {
      expect(() => encodeHead({ ...entry, organizationId: wrong })).toThrow(EntryError)
      expect(() => encodeHead({ ...entry, head: { ...head, tag: wrong } })).toThrow(EntryError)
      expect(() => encodeBegan({ journalId: wrong, atMs: 1, forgetsHeads: false })).toThrow(EntryError)
      expect(() => encodeCount({ name: wrong, countKey: head.tag, amount: 1n, atMs: 1, untilMs: 1 })).toThrow()
    }
  })

  test('a partial key, or too many keys', () => {
    expect(() => encodeKeys({ keys: new Uint8Array(17), atMs: 1 })).toThrow(EntryError)
    expect(() => encodeKeys({ keys: new Uint8Array(16 * (keysPerEntryMax + 1)), atMs: 1 })).toThrow(EntryError)
    const most = new Uint8Array(randomBytes(16 * keysPerEntryMax))
    expect(read(encodeKeys({ keys: most, atMs: 1 }))).toEqual([{ of: 'keys', entry: { keys: most, atMs: 1 } }])
  })
})
