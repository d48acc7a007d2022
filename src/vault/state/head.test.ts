import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recordKinds } from '../../contract/records/records.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { type BookedHead, makersMax } from '../books/booked_head.ts'
import { encodeHead } from '../books/entries.ts'
import { createSeals, SealError, sealTag } from '../keys/seal.ts'
import { type Head, lineages, listedKinds, sealHead, unsealHead } from './head.ts'

const seals = createSeals({
  masterSeeds: { current: 1, seeds: new Map([[1, new SecretBytes(new Uint8Array(32).fill(1))]]) },
  randomBytes: (size) => new Uint8Array(randomBytes(size)),
})

const head: Head = {
  organizationId: 'o1',
  parentId: undefined,
  organizationName: 'Acme',
  rootQuorum: { threshold: 1, userIds: ['u1'] },
  version: 5,
  createdAtMs: 1,
  updatedAtMs: 2,
  listed: new Map(listedKinds.map((kind) => [kind, new Map([[`${kind}-1`, { version: 2, digest: 'd' }]])])),
  removed: new Map([['w1', new Set(['a1', 'a2'])]]),
}
const name = fc.record({ version: fc.nat(), tag: fc.string(), changeKey: fc.string() }, { noNullPrototype: true })

test('a head lists the kinds that the table marks as listed', () => {
  expect(listedKinds).toEqual(expect.arrayContaining(['user', 'wallet', 'private_key', 'pending_activity']))
  for (const [kind, { listed }] of Object.entries(recordKinds)) {
    expect(listedKinds.some((name) => name === kind)).toBe(listed)
  }
})

test('a head opens unchanged, with its records in the same order', () => {
  const requiredKeys = Object.keys(head) as (keyof typeof head)[]
  const texts = fc.string({ unit: 'binary' })
  const plain = { noNullPrototype: true }
  const listings = fc
    .uniqueArray(fc.tuple(texts, fc.record({ version: fc.nat(), digest: texts }, plain)), { selector: ([id]) => id })
    .map((rows) => new Map(rows))
  const removed = fc
    .uniqueArray(fc.tuple(texts, fc.uniqueArray(texts)), { selector: ([ownerId]) => ownerId })
    .map((rows) => new Map(rows.map(([ownerId, recordIds]) => [ownerId, new Set(recordIds)])))
  const heads: fc.Arbitrary<Head> = fc.record(
    {
      organizationId: fc.uuid(),
      parentId: fc.option(fc.uuid(), { nil: undefined }),
      organizationName: texts,
      rootQuorum: fc.record({ threshold: fc.nat(), userIds: fc.array(texts) }, plain),
      version: fc.integer({ min: 1 }),
      createdAtMs: fc.nat(),
      updatedAtMs: fc.nat(),
      listed: fc.tuple(...listedKinds.map(() => listings)).map((maps) => {
        return new Map(listedKinds.map((kind, index) => [kind, maps[index] ?? new Map()]))
      }),
      removed,
      rootQuorumSetAtMs: fc.nat(),
      renamedAtMs: fc.nat(),
      recentRemovals: fc.array(
        fc.record({ kind: fc.constantFrom(...listedKinds), recordId: texts, atMs: fc.nat() }, plain),
      ),
      deletedAtMs: fc.nat(),
      lineage: fc.record(
        {
          maker: fc.string(),
          changeKey: fc.string(),
          below: fc.dictionary(fc.string(), name).map((below) => new Map(Object.entries(below))),
        },
        plain,
      ),
    },
    { ...plain, requiredKeys: [...requiredKeys] },
  )
  fc.assert(
    fc.property(heads, (given) => {
      const opened = unsealHead(seals, given.organizationId, sealHead(seals, given))
      expect(opened).toStrictEqual(given)
      for (const kind of listedKinds) {
        expect([...(opened.listed.get(kind)?.keys() ?? [])]).toEqual([...(given.listed.get(kind)?.keys() ?? [])])
      }
    }),
  )
})

test('a kind without a listed record is an empty list', () => {
  const opened = unsealHead(seals, 'o1', sealHead(seals, { ...head, listed: new Map() }))
  expect(opened.listed).toEqual(new Map(listedKinds.map((kind) => [kind, new Map()])))
})

test('a head from before removals were noted is read as one without removals', () => {
  const { removed: _, ...older } = head
  const slot = { organizationId: head.organizationId, kind: 'head', id: head.organizationId, version: head.version }
  const sealed = seals.seal(slot, Buffer.from(JSON.stringify({ ...older, listed: {} })))
  const opened = unsealHead(seals, 'o1', { version: head.version, tag: sealTag(sealed), sealed })
  expect(opened.removed).toEqual(new Map())
  expect(opened.deletedAtMs).toBeUndefined()
})

test('a sealed head carries its version and tag', () => {
  const found = sealHead(seals, head)
  expect(found).toStrictEqual({ version: 5, tag: sealTag(found.sealed), sealed: found.sealed })
})

describe('a head does not open', () => {
  const found = sealHead(seals, head)
  const again = sealHead(seals, head)

  test.each([
    ['for another organization', 'o2', found],
    ['as an earlier version', 'o1', { ...found, version: 4 }],
    ['as a later version', 'o1', { ...found, version: 6 }],
    ['under the tag of another head of the same version', 'o1', { ...found, tag: again.tag }],
    ['under the tag in upper case', 'o1', { ...found, tag: found.tag.toUpperCase() }],
    ['under no tag', 'o1', { ...found, tag: '' }],
    ['with the tag of another head put behind it', 'o1', withTag(found.sealed, again.sealed)],
    ['without bytes', 'o1', { version: 5, tag: '', sealed: new Uint8Array() }],
    ['cut off', 'o1', { ...found, sealed: found.sealed.subarray(0, -1) }],
  ])('%s', (_name, organizationId, presented) => {
    expect(() => unsealHead(seals, organizationId, presented)).toThrow(SealError)
  })

  test('when any byte was changed, whatever its tag', () => {
    for (let at = 0; at < found.sealed.length; at++) {
      const sealed = found.sealed.slice()
      sealed[at] = (sealed[at] ?? 0) ^ (1 << (at % 8))
      for (const tag of [found.tag, sealTag(sealed)]) {
        expect(() => unsealHead(seals, 'o1', { ...found, sealed, tag }), `byte ${at}`).toThrow(SealError)
      }
    }
  })

  test('in the place of a record', () => {
    const slot = { organizationId: 'o1', kind: 'record user', id: 'o1', version: 5 }
    expect(() => seals.unseal(slot, found.sealed)).toThrow(SealError)
  })
})

function withTag(body: Uint8Array, tagged: Uint8Array) {
  const sealed = Uint8Array.of(...body.subarray(0, -16), ...tagged.subarray(-16))
  return { version: 5, tag: sealTag(sealed), sealed }
}

const hex = () => randomBytes(16).toString('hex')

/** The newest head of an organization whose heads were made by this number of journals. */
function madeBy(makers: number): BookedHead {
  const name = () => ({ version: 1, tag: hex(), changeKey: hex() })
  const below = new Map(Array.from({ length: makers - 1 }, () => [hex(), name()]))
  return { ...name(), version: 2, maker: hex(), below }
}

test('a head is made only if the books can take it up', () => {
  const organizationId = '01234567-89ab-7cde-8f01-23456789abcd'
  for (const [makers, isMade] of [
    [1, true],
    [makersMax, true],
    [makersMax + 1, false],
  ] as const) {
    const newest = madeBy(makers)
    const lineageOf = lineages({ books: { newest: () => newest, journalId: hex } })
    if (!isMade) {
      expect(() => lineageOf({ organizationId, version: 3 })).toThrow(`${makers} journals`)
      continue
    }
    const head = { version: 3, tag: hex(), ...lineageOf({ organizationId, version: 3 }) }
    expect(head.below.size).toBe(makers)
    expect(() => encodeHead({ organizationId, head, atMs: 1, mayBeNext: false })).not.toThrow()
  }
})
