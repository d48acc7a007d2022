import { tileWidth } from '../tree/tiles.ts'
import { nodeHash } from '../tree/tree.ts'
import { includes } from '../tree/tree_proofs.ts'

/**
 * A bundle of a log for somebody who may see some of its entries only: these, and hashes in the place of all others.
 * All of it together verifies by one root, so an entry needs no proof of its own.
 */
export type Excerpt = {
  /** The index in the log of the first entry of the bundle. */
  readonly from: number
  /** The indexes in the log of the entries that are shown, in order. */
  readonly indexes: readonly number[]
  /** In the place of the others stand the roots of the largest complete subtrees without a shown entry. */
  readonly hashes: readonly Uint8Array[]
  /** The proof of inclusion from the root of the bundle, as if bundles were the leaves of the tree. */
  readonly proof: readonly Uint8Array[]
}

/** The number of entries of the bundle that begins at an index, in a tree of this size. */
export function bundleWidth({ from, size }: { readonly from: number; readonly size: number }): number {
  return Math.min(tileWidth, size - from)
}

/** The hashes of an excerpt, of those of all leaves of its bundle. */
export function excerptHashes(
  { from, indexes }: Pick<Excerpt, 'from' | 'indexes'>,
  leaves: readonly Uint8Array[],
): readonly Uint8Array[] {
  const hidden = piecesOf(from, indexes, leaves.length).filter(({ isShown }) => !isShown)
  return hidden.map(({ start, width }) =>
    rootOver(leaves.slice(start, start + width).map((hash) => ({ width: 1, hash }))),
  )
}

/**
 * Whether these leaves, which are the hashes of the shown entries, stand at the indexes of the excerpt in a tree. False
 * for an excerpt that is none: its bundle is not in the tree, or its indexes are not in order.
 */
export function holdsExcerpt(
  { from, indexes, hashes, proof }: Excerpt,
  { leaves, size, root }: { readonly leaves: readonly Uint8Array[]; readonly size: number; readonly root: Uint8Array },
): boolean {
  const width = bundleWidth({ from, size })
  const isInOrder = indexes.every((index, at) => index > (indexes[at - 1] ?? from - 1) && index < from + width)
  if (from % tileWidth !== 0 || from < 0 || width < 1 || !isInOrder || indexes.length !== leaves.length) return false
  const pieces = piecesOf(from, indexes, width)
  if (pieces.length !== leaves.length + hashes.length) return false
  const [shown, hidden] = [leaves.values(), hashes.values()]
  const bundle = rootOver(
    pieces.map(({ width, isShown }) => ({ width, hash: (isShown ? shown : hidden).next().value ?? root })),
  )
  const place = { index: from / tileWidth, size: Math.ceil(size / tileWidth) }
  return includes({ ...place, leaf: bundle, proof, root })
}

/** Leaves of a bundle that are one complete subtree: a shown one, or as many hidden ones as can be. */
type Piece = { readonly start: number; readonly width: number; readonly isShown: boolean }

function piecesOf(from: number, indexes: readonly number[], width: number): readonly Piece[] {
  const pieces: Piece[] = []
  let start = 0
  for (const end of [...indexes.map((index) => index - from), width]) {
    while (start < end) {
      let wide = 1
      while (start % (2 * wide) === 0 && start + 2 * wide <= end) wide *= 2
      pieces.push({ start, width: wide, isShown: false })
      start += wide
    }
    if (end < width) pieces.push({ start, width: 1, isShown: true })
    start += 1
  }
  return pieces
}

type Subtree = { readonly width: number; readonly hash: Uint8Array }

/** The root over complete subtrees that stand side by side, from the left. */
function rootOver(subtrees: readonly Subtree[]): Uint8Array {
  const joined: Subtree[] = []
  for (const subtree of subtrees) {
    let right = subtree
    while (joined.at(-1)?.width === right.width) right = above(joined.pop() ?? right, right)
    joined.push(right)
  }
  return joined.reduceRight((right, left) => above(left, right)).hash
}

function above(left: Subtree, right: Subtree): Subtree {
  return { width: left.width + right.width, hash: nodeHash(left.hash, right.hash) }
}
