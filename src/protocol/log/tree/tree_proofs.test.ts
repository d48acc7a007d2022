import { RFC9162 } from '@transmute/rfc9162'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sigstoreIncludes } from '../../../../test/support/sigstore_log.ts'
import { emptyFrontier, emptyRoot, grown, leafHash, nodeHash, rootOf, treeSizeMax } from './tree.ts'
import { consistencyProof, continues, type HashOf, includes, inclusionProof } from './tree_proofs.ts'

const entries = Array.from({ length: 70 }, (_, at) => Uint8Array.of(at))
const leaves = entries.map(leafHash)

/** By the definition of the tree, from its leaves. */
const hashOf: HashOf = ({ level, index }) => {
  if (level === 0) return leaves[index] ?? emptyRoot
  return nodeHash(hashOf({ level: level - 1, index: index * 2 }), hashOf({ level: level - 1, index: index * 2 + 1 }))
}

const roots = [emptyRoot]
let frontier = emptyFrontier
for (const leaf of leaves) {
  frontier = grown(frontier, leaf)
  roots.push(rootOf(frontier))
}
const rootAt = (size: number) => roots[size] ?? emptyRoot

const plain = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash).toString('hex'))

/** Two different numbers, the smaller one first. */
const sizes = fc
  .tuple(fc.nat(entries.length), fc.nat(entries.length))
  .map(([one, other]) => ({ from: Math.min(one, other), to: Math.max(one, other) }))
const places = sizes.filter(({ from, to }) => from < to).map(({ from, to }) => ({ index: from, size: to }))

type Damage = { readonly at: number; readonly byte: number; readonly kind: 'changed' | 'dropped' | 'added' }
const damages = fc.record<Damage>({
  at: fc.nat(1000),
  byte: fc.integer({ min: 1, max: 255 }),
  kind: fc.constantFrom('changed', 'dropped', 'added'),
})

function damaged(proof: readonly Uint8Array[], { at, byte, kind }: Damage): readonly Uint8Array[] {
  const place = at % Math.max(1, proof.length)
  if (kind === 'dropped' && proof.length > 0) return proof.toSpliced(place, 1)
  if (kind === 'added' || proof.length === 0) return proof.toSpliced(place, 0, leafHash(Uint8Array.of(byte)))
  const changed = proof[place]?.map((old, bit) => (bit === at % 32 ? old ^ byte : old)) ?? emptyRoot
  return proof.toSpliced(place, 1, changed)
}

describe('inclusion', () => {
  test('proofs are those of another implementation, and each verifies the other', async () => {
    await fc.assert(
      fc.asyncProperty(places, async ({ index, size }) => {
        const proof = inclusionProof({ index, size }, hashOf)
        const other = await RFC9162.inclusionProof(entries[index] ?? emptyRoot, entries.slice(0, size))
        expect(plain(proof)).toEqual(plain(other.inclusion_path))
        const leaf = leaves[index] ?? emptyRoot
        expect(includes({ index, size, leaf, proof, root: rootAt(size) })).toBe(true)
        expect(await RFC9162.verifyInclusionProof(rootAt(size), leaf, { ...other, inclusion_path: [...proof] })).toBe(
          true,
        )
      }),
    )
  })

  test('all leaves of all trees of up to 70 leaves are proven, and no other leaf', () => {
    for (let size = 1; size <= entries.length; size += 1) {
      for (let index = 0; index < size; index += 1) {
        const proof = inclusionProof({ index, size }, hashOf)
        const root = rootAt(size)
        expect(includes({ index, size, leaf: leaves[index] ?? emptyRoot, proof, root })).toBe(true)
        expect(includes({ index, size, leaf: leafHash(Uint8Array.of(index, 0)), proof, root })).toBe(false)
      }
    }
  })

  test('a proof that is damaged, of another leaf or of another tree proves nothing', () => {
    fc.assert(
      fc.property(places, damages, fc.nat(80), fc.nat(80), ({ index, size }, damage, otherIndex, otherSize) => {
        const leaf = leaves[index] ?? emptyRoot
        const proof = inclusionProof({ index, size }, hashOf)
        const root = rootAt(size)
        expect(includes({ index, size, leaf, proof: damaged(proof, damage), root })).toBe(false)
        if (otherIndex !== index) expect(includes({ index: otherIndex, size, leaf, proof, root })).toBe(false)
        if (otherSize !== size) expect(includes({ index, size, leaf, proof, root: rootAt(otherSize) })).toBe(false)
      }),
    )
  })

  test.each([
    [0, 0],
    [5, 5],
    [-1, 5],
    [0.5, 5],
    [0, treeSizeMax + 1],
  ])('there is no leaf %d in a tree of %d', (index, size) => {
    expect(() => inclusionProof({ index, size }, hashOf)).toThrow(RangeError)
    expect(includes({ index, size, leaf: emptyRoot, proof: [], root: emptyRoot })).toBe(false)
  })

  test('the last leaf of the largest tree', () => {
    const same: HashOf = () => emptyRoot
    const place = { index: treeSizeMax - 1, size: treeSizeMax }
    const proof = inclusionProof(place, same)
    expect(proof).toHaveLength(52)
    const root = proof.reduce((hash, sibling) => nodeHash(sibling, hash), emptyRoot)
    expect(includes({ ...place, leaf: emptyRoot, proof, root })).toBe(true)
  })
})

test('Sigstore finds the same leaves in the same trees', () => {
  fc.assert(
    fc.property(places, damages, ({ index, size }, damage) => {
      const entry = entries[index] ?? emptyRoot
      const proof = inclusionProof({ index, size }, hashOf)
      const root = rootAt(size)
      expect(sigstoreIncludes({ index, size, entry, proof, root })).toBe(true)
      expect(sigstoreIncludes({ index, size, entry, proof: damaged(proof, damage), root })).toBe(false)
    }),
  )
})

describe('consistency', () => {
  test('proofs are those of another implementation, and each verifies the other', async () => {
    await fc.assert(
      fc.asyncProperty(
        sizes.filter(({ from, to }) => 0 < from && from < to),
        async ({ from, to }) => {
          const proof = consistencyProof({ from, to }, hashOf)
          // That one also writes the old root where it is a complete subtree. RFC 9162 leaves it out.
          const path = Number.isInteger(Math.log2(from)) ? [rootAt(from), ...proof] : [...proof]
          expect(plain(path)).toEqual(plain(await RFC9162.PROOF(from, entries.slice(0, to))))
          const data = { log_id: '', tree_size_1: from, tree_size_2: to, consistency_path: path }
          expect(await RFC9162.verifyConsistencyProof(rootAt(from), rootAt(to), data)).toBe(true)
        },
      ),
    )
  })

  test('every tree of up to 70 leaves continues every smaller one', () => {
    for (let to = 0; to <= entries.length; to += 1) {
      for (let from = 0; from <= to; from += 1) {
        const proof = consistencyProof({ from, to }, hashOf)
        expect(continues({ from, to, fromRoot: rootAt(from), toRoot: rootAt(to), proof })).toBe(true)
        if (from === 0 || from === to) expect(proof).toEqual([])
      }
    }
  })

  test('a proof that is damaged or of other trees proves nothing', () => {
    fc.assert(
      fc.property(sizes, damages, fc.nat(entries.length), ({ from, to }, damage, other) => {
        const proof = consistencyProof({ from, to }, hashOf)
        const growth = { from, to, fromRoot: rootAt(from), toRoot: rootAt(to) }
        expect(continues({ ...growth, proof: damaged(proof, damage) })).toBe(false)
        if (from === 0) return
        if (other !== from) expect(continues({ ...growth, fromRoot: rootAt(other), proof })).toBe(false)
        if (other !== to) expect(continues({ ...growth, toRoot: rootAt(other), proof })).toBe(false)
      }),
    )
  })

  test.each([
    [2, 1],
    [-1, 5],
    [0.5, 5],
    [1, treeSizeMax + 1],
  ])('no tree of %d leaves becomes one of %d', (from, to) => {
    expect(() => consistencyProof({ from, to }, hashOf)).toThrow(RangeError)
    expect(continues({ from, to, fromRoot: emptyRoot, toRoot: emptyRoot, proof: [] })).toBe(false)
  })
})

test('the tree without leaves has one root', () => {
  const nothing = { from: 0, to: 0, fromRoot: emptyRoot, proof: [] }
  expect(continues({ ...nothing, toRoot: emptyRoot })).toBe(true)
  expect(continues({ ...nothing, toRoot: rootAt(1) })).toBe(false)
})

test('the examples of RFC 9162, 2.1.5', () => {
  const [a, b, c, d, e, f, j] = leaves.map((leaf) => Buffer.from(leaf))
  if (!a || !b || !c || !d || !e || !f || !j) throw new Error('seven leaves')
  const [g, h, i] = [nodeHash(a, b), nodeHash(c, d), nodeHash(e, f)]
  const [k, l] = [nodeHash(g, h), nodeHash(i, j)]
  const inclusion = (index: number) => plain(inclusionProof({ index, size: 7 }, hashOf))
  expect([0, 3, 4, 6].map(inclusion)).toEqual(
    [
      [b, h, l],
      [c, g, l],
      [f, j, k],
      [i, k],
    ].map(plain),
  )
  const consistency = (from: number) => plain(consistencyProof({ from, to: 7 }, hashOf))
  expect([3, 4, 6].map(consistency)).toEqual([[c, d, g, l], [l], [i, j, k]].map(plain))
})

test('proofs of arbitrary numbers and hashes throw nothing', () => {
  const hashes = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 70 })
  const numbers = fc.oneof(fc.maxSafeNat(), fc.double(), fc.integer())
  fc.assert(
    fc.property(numbers, numbers, hashes, (one, other, proof) => {
      expect(includes({ index: one, size: other, leaf: emptyRoot, proof, root: emptyRoot })).toBe(false)
      const isEmpty = proof.length === 0 && (one === 0 || one === other)
      if (!isEmpty)
        expect(continues({ from: one, to: other, fromRoot: emptyRoot, toRoot: emptyRoot, proof })).toBe(false)
    }),
  )
})
