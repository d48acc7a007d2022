import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptyFrontier, type Frontier, grown, leafHash, rootOf } from '../tree/tree.ts'
import { type HashOf, inclusionProof } from '../tree/tree_proofs.ts'
import { excerptHashes, holdsExcerpt } from './excerpt.ts'

const leaves = Array.from({ length: 1_100 }, () => leafHash(randomBytes(32)))

function treeOf(hashes: readonly Uint8Array[]): Frontier {
  return hashes.reduce(grown, emptyFrontier)
}

/** An excerpt of a bundle in the tree of the first `size` leaves; bundles are the leaves of a tree of their own. */
function excerptOf(size: number, bundle: number, places: readonly number[]) {
  const bundles = Array.from({ length: Math.ceil(size / 256) }, (_, number) => {
    return leaves.slice(number * 256, Math.min(size, (number + 1) * 256))
  })
  const hashOf: HashOf = ({ level, index }) =>
    rootOf(treeOf(bundles.slice(index * 2 ** level, (index + 1) * 2 ** level).map((one) => rootOf(treeOf(one)))))
  const own = bundles[bundle] ?? []
  const from = bundle * 256
  const indexes = places.filter((place) => place < own.length).map((place) => from + place)
  const proof = inclusionProof({ index: bundle, size: bundles.length }, hashOf)
  const excerpt = { from, indexes, hashes: excerptHashes({ from, indexes }, own), proof }
  const root = rootOf(treeOf(leaves.slice(0, size)))
  return { excerpt, known: { leaves: indexes.flatMap((index) => leaves[index] ?? []), size, root } }
}

const sizes = fc.integer({ min: 1, max: leaves.length })
const someExcerpt = fc
  .tuple(sizes, fc.nat(), fc.uniqueArray(fc.nat(255), { maxLength: 256 }))
  .map(([size, bundle, places]) =>
    excerptOf(
      size,
      bundle % Math.ceil(size / 256),
      [...places].sort((one, other) => one - other),
    ),
  )

test('an excerpt holds in trees of every size, whatever is shown of its bundle', () => {
  fc.assert(
    fc.property(someExcerpt, ({ excerpt, known }) => {
      expect(holdsExcerpt(excerpt, known)).toBe(true)
    }),
  )
})

test('no part of an excerpt can be another one, be left out, or change its place', () => {
  const flipped = (hashes: readonly Uint8Array[], at: number) =>
    hashes.map((hash, index) => (index === at ? hash.map((byte, place) => (place === 7 ? byte ^ 1 : byte)) : hash))
  fc.assert(
    fc.property(someExcerpt, fc.nat(), ({ excerpt, known }, at) => {
      const { from, indexes, hashes, proof } = excerpt
      const [first, ...others] = indexes
      const wrong: [typeof excerpt, Partial<typeof known>?][] = [
        [{ ...excerpt, from: from + 256 }],
        [{ ...excerpt, from: from - 256 }],
        [{ ...excerpt, from: from + 1 }],
        [{ ...excerpt, proof: [...proof, known.root] }],
        [{ ...excerpt, hashes: [...hashes, known.root] }],
        [excerpt, { root: leafHash(known.root) }],
        [excerpt, { leaves: [...known.leaves, known.root] }],
      ]
      if (hashes.length > 0) {
        wrong.push(
          [{ ...excerpt, hashes: flipped(hashes, at % hashes.length) }],
          [{ ...excerpt, hashes: hashes.slice(1) }],
        )
      }
      if (proof.length > 0) wrong.push([{ ...excerpt, proof: flipped(proof, at % proof.length) }])
      if (first !== undefined) {
        wrong.push([excerpt, { leaves: flipped(known.leaves, at % known.leaves.length) }])
        wrong.push([{ ...excerpt, indexes: others }, { leaves: known.leaves.slice(1) }])
        wrong.push([{ ...excerpt, indexes: [first, ...indexes] }, { leaves: [known.root, ...known.leaves] }])
      }
      if (others.length > 0) wrong.push([excerpt, { leaves: known.leaves.toReversed() }])
      for (const [one, of] of wrong) expect(holdsExcerpt(one, { ...known, ...of })).toBe(false)
    }),
  )
})
