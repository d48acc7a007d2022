import { hashOfLogEntry } from '../../../protocol/log/encode_entry.ts'
import { tileWidth, writeEntries } from '../../../protocol/log/tree/tiles.ts'
import { emptyFrontier, type Frontier, grown, leafHash, rootOf } from '../../../protocol/log/tree/tree.ts'

/** The tree of a log, and the entries of it that nobody else is known to keep. */
export type KeptTree = ReturnType<typeof createKeptTree>

export function createKeptTree() {
  let tree = emptyFrontier
  /** The tree before the entries that are kept. */
  let forgotten = emptyFrontier
  let kept: Buffer[] = []
  let keptBytes = 0
  /** The tree after each whole bundle that is kept. */
  let boundaries: Frontier[] = []

  /** Entries up to here are kept elsewhere. */
  function forgetUpTo(found: Frontier): void {
    for (const entry of kept.slice(0, found.size - forgotten.size)) keptBytes -= entry.length
    kept = kept.slice(found.size - forgotten.size)
    boundaries = boundaries.filter(({ size }) => size > found.size)
    forgotten = found
  }

  return {
    tree: () => tree,
    forgotten: () => forgotten,
    kept: () => kept,
    keptBytes: () => keptBytes,

    add(entry: Buffer): void {
      kept.push(entry)
      keptBytes += entry.length
      tree = grown(tree, leafHash(hashOfLogEntry(entry)))
      if (tree.size % tileWidth === 0) boundaries.push(tree)
    },

    /** The root of the tree when it had so many entries. Undefined: it had forgotten them, or never had so many. */
    rootAt(size: number): Uint8Array | undefined {
      if (size < forgotten.size || size > tree.size) return undefined
      let found = boundaries.findLast((boundary) => boundary.size <= size) ?? forgotten
      for (const entry of kept.slice(found.size - forgotten.size, size - forgotten.size)) {
        found = grown(found, leafHash(hashOfLogEntry(entry)))
      }
      return rootOf(found)
    },

    /** Forgets the oldest bundle if it is this one, and returns the tree up to its end. */
    forget(bundle: Uint8Array): Frontier | undefined {
      const [boundary] = boundaries
      if (boundary === undefined) return undefined
      if (Buffer.compare(writeEntries(kept.slice(0, tileWidth)), bundle) !== 0) return undefined
      forgetUpTo(boundary)
      return boundary
    },

    /** The tree when entries were forgotten. One from earlier changes nothing. */
    beginAt(found: Frontier): void {
      if (found.size <= forgotten.size) return
      if (found.size > tree.size) tree = found
      forgetUpTo(found)
    },
  }
}
