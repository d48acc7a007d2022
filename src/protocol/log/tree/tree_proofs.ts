import { emptyRoot, isSameHash, nodeHash, treeSizeMax } from './tree.ts'

/** A complete subtree: the leaves from `index * 2^level` to before `(index + 1) * 2^level`. */
export type TreeNode = { readonly level: number; readonly index: number }

/** Gives the hash of a complete subtree. */
export type HashOf = (node: TreeNode) => Uint8Array

/** The root of the tree of this size, which may be the beginning of a larger one. */
export function rootAt(size: number, hashOf: HashOf): Uint8Array {
  return size === 0 ? emptyRoot : rangeHash({ start: 0, end: size }, hashOf)
}

/**
 * The proof that a leaf is in the tree of this size: the hashes beside its way to the root, from the leaf up (RFC 9162,
 * 2.1.3.1). Throws a RangeError unless `0 <= index < size`.
 */
export function inclusionProof({ index, size }: LeafPlace, hashOf: HashOf): readonly Uint8Array[] {
  if (!isLeafPlace({ index, size })) throw new RangeError('there is no such leaf in a tree of this size')
  return wayTo(index, size).steps.map(({ range }) => rangeHash(range, hashOf))
}

/**
 * The proof that the tree of `from` leaves is the beginning of the tree of `to` leaves (RFC 9162, 2.1.4.1). Empty from
 * nothing, and between equal sizes. Throws a RangeError unless `0 <= from <= to`.
 */
export function consistencyProof({ from, to }: Growth, hashOf: HashOf): readonly Uint8Array[] {
  if (!isGrowth({ from, to })) throw new RangeError('a tree does not shrink')
  if (from === 0) return []
  const { steps, end } = wayToEnd(from, to)
  const ranges = steps.map(({ range }) => range)
  return (end.start === 0 ? ranges : [end, ...ranges]).map((range) => rangeHash(range, hashOf))
}

/** Whether the proof leads from the hash of this leaf to the root of the tree (RFC 9162, 2.1.3.2). */
export function includes({ index, size, leaf, proof, root }: Inclusion): boolean {
  if (!isLeafPlace({ index, size })) return false
  const { steps } = wayTo(index, size)
  if (proof.length !== steps.length) return false
  return isSameHash(
    steps.reduce((hash, { side }, at) => joined(side, proof[at] ?? hash, hash), leaf),
    root,
  )
}

/**
 * Whether the proof leads from one tree to the other (RFC 9162, 2.1.4.2). Every tree continues the one without leaves,
 * which has one root only.
 */
export function continues({ from, to, fromRoot, toRoot, proof }: Continuation): boolean {
  if (!isGrowth({ from, to })) return false
  if (from === 0) return proof.length === 0 && (to > 0 || isSameHash(toRoot, emptyRoot))
  const { steps, end } = wayToEnd(from, to)
  // The first hash is left out where it would be the old root.
  const [first, ...others] = end.start === 0 ? [fromRoot, ...proof] : proof
  if (first === undefined || others.length !== steps.length) return false
  let oldRoot = first
  let newRoot = first
  for (const [at, { side }] of steps.entries()) {
    const sibling = others[at] ?? first
    // Leaves to the right came later.
    if (side === 'left') oldRoot = nodeHash(sibling, oldRoot)
    newRoot = joined(side, sibling, newRoot)
  }
  return isSameHash(oldRoot, fromRoot) && isSameHash(newRoot, toRoot)
}

type LeafPlace = { readonly index: number; readonly size: number }
type Growth = { readonly from: number; readonly to: number }
type Inclusion = LeafPlace & {
  /** `leafHash` of the entry. */
  readonly leaf: Uint8Array
  readonly proof: readonly Uint8Array[]
  readonly root: Uint8Array
}
type Continuation = Growth & {
  readonly fromRoot: Uint8Array
  readonly toRoot: Uint8Array
  readonly proof: readonly Uint8Array[]
}

/** Leaves from `start` to before `end`. */
type Range = { readonly start: number; readonly end: number }
type Side = 'left' | 'right'
/** The leaves beside a way, and on which side of it they are. */
type Step = { readonly range: Range; readonly side: Side }
type Way = {
  /** From the bottom up. */
  readonly steps: readonly Step[]
  /** Where the way ends at the bottom. */
  readonly end: Range
}

function wayTo(index: number, size: number): Way {
  return wayDown(size, { isEnd: ({ start, end }) => end - start === 1, isLeft: (middle) => index < middle })
}

/** The way to the subtree in which the tree of `from` leaves ends. */
function wayToEnd(from: number, to: number): Way {
  return wayDown(to, { isEnd: ({ end }) => end === from, isLeft: (middle) => from <= middle })
}

type Turns = { readonly isEnd: (range: Range) => boolean; readonly isLeft: (middle: number) => boolean }

function wayDown(size: number, { isEnd, isLeft }: Turns): Way {
  const steps: Step[] = []
  let here: Range = { start: 0, end: size }
  while (!isEnd(here)) {
    const middle = middleOf(here)
    const left: Range = { start: here.start, end: middle }
    const right: Range = { start: middle, end: here.end }
    steps.unshift(isLeft(middle) ? { range: right, side: 'right' } : { range: left, side: 'left' })
    here = isLeft(middle) ? left : right
  }
  return { steps, end: here }
}

/** Where a tree divides: the left part is the largest complete subtree that is not all of it. */
function middleOf({ start, end }: Range): number {
  let left = 1
  while (left * 2 < end - start) left *= 2
  return start + left
}

/** The root over these leaves. Those of a proof begin at a multiple of their largest complete subtree. */
function rangeHash(range: Range, hashOf: HashOf): Uint8Array {
  const { start, end } = range
  const level = Math.round(Math.log2(end - start))
  if (2 ** level === end - start) return hashOf({ level, index: start / 2 ** level })
  const middle = middleOf(range)
  return nodeHash(rangeHash({ start, end: middle }, hashOf), rangeHash({ start: middle, end }, hashOf))
}

function joined(side: Side, sibling: Uint8Array, hash: Uint8Array): Uint8Array {
  return side === 'left' ? nodeHash(sibling, hash) : nodeHash(hash, sibling)
}

function isLeafPlace({ index, size }: LeafPlace): boolean {
  return Number.isInteger(index) && isGrowth({ from: index, to: size }) && index < size
}

function isGrowth({ from, to }: Growth): boolean {
  return Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to <= treeSizeMax
}
