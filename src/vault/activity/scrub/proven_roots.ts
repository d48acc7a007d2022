import type { ScrubFound } from '../../../link/scrubbing.ts'
import { tileWidth } from '../../../protocol/log/tree/tiles.ts'
import { emptyFrontier, type Frontier, grown, isSameHash } from '../../../protocol/log/tree/tree.ts'
import { restored } from './proven_bundle.ts'
import type { Scrubbing } from './read_rows.ts'
import type { ScrubParts, Tally } from './scrub_parts.ts'

const rootsAtOnce = 4_096
const hashBytes = 32

/**
 * Reads the roots of all bundles before `tree`, 32 bytes each, and returns them once they make up that tree. Returns why
 * they do not otherwise. A bundle that the database lacks is handed to it again if there is a copy.
 */
export async function* provenRoots(
  parts: Pick<ScrubParts, 'books'>,
  tree: Frontier,
  tally: Tally,
): Scrubbing<Uint8Array | string> {
  const logId = parts.books.logId()
  const count = tree.size / tileWidth
  const roots = new Uint8Array(count * hashBytes)
  let found = emptyFrontier
  while (found.size < count) {
    const end = Math.min(found.size + rootsAtOnce, count)
    const answer: ScrubFound = yield { of: 'roots', logId, from: found.size, limit: end - found.size }
    const read = new Map((answer.of === 'roots' ? answer.roots : []).map(({ number, root }) => [number, root]))
    for (let number = found.size; number < end; number += 1) {
      const stored = read.get(number)
      const root = stored?.length === hashBytes ? stored : (yield* restored(parts, number, tally))?.root
      if (root === undefined) return `the database lacks bundle ${number}`
      roots.set(root, number * hashBytes)
      found = grown(found, root)
    }
  }
  const isTree =
    found.hashes.length === tree.hashes.length &&
    found.hashes.every((hash, at) => isSameHash(hash, tree.hashes[at] ?? new Uint8Array()))
  return isTree ? roots : 'the roots of the bundles in the database do not make up its tree'
}

export function rootAt(roots: Uint8Array, number: number): Uint8Array {
  return roots.subarray(number * hashBytes, (number + 1) * hashBytes)
}
