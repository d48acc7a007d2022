import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'

/** A tree has so many leaves at most: a greater number is not exact in JavaScript. */
export const treeSizeMax = Number.MAX_SAFE_INTEGER

/** The root of the tree without leaves (RFC 9162, 2.1.1). */
export const emptyRoot: Uint8Array = sha256(new Uint8Array(0))

const leafPrefix = Uint8Array.of(0)
const nodePrefix = Uint8Array.of(1)

/** The hash of a leaf (RFC 9162, 2.1.1). */
export function leafHash(entry: Uint8Array): Uint8Array {
  return sha256(concatBytes(leafPrefix, entry))
}

/** The hash of a node above two others (RFC 9162, 2.1.1). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(nodePrefix, left, right))
}

/** Whether two hashes are equal. They are public, so the time may depend on them. */
export function isSameHash(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}

/**
 * All that a tree needs to grow: its number of leaves, and the roots of the largest complete subtrees that make it up,
 * from the left. These are as many as `size` has ones in binary, 53 at most.
 */
export type Frontier = { readonly size: number; readonly hashes: readonly Uint8Array[] }

export const emptyFrontier: Frontier = { size: 0, hashes: [] }

/** The frontier after one more leaf, which is given by its hash. */
export function grown({ size, hashes }: Frontier, leaf: Uint8Array): Frontier {
  if (size >= treeSizeMax) throw new RangeError(`a tree has ${treeSizeMax} leaves at most`)
  const left = [...hashes]
  let right = leaf
  // Each one at the end of the number is a complete subtree as large as the one that has just become complete.
  for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) right = nodeHash(left.pop() ?? emptyRoot, right)
  return { size: size + 1, hashes: [...left, right] }
}

/** The root of the tree (RFC 9162, 2.1.1). */
export function rootOf({ hashes }: Frontier): Uint8Array {
  return hashes.length === 0 ? emptyRoot : hashes.reduceRight((right, left) => nodeHash(left, right))
}
