import type { ScrubFound, ScrubWanted } from '../../../link/scrubbing.ts'
import { tileWidth } from '../../../protocol/log/tiles.ts'
import { emptyFrontier, type Frontier, grown, isSameHash } from '../../../protocol/log/tree.ts'

const rootsAtOnce = 4_096
const hashBytes = 32

/**
 * Reads the roots of all bundles before `tree`, 32 bytes each, and returns them once they make up that tree. Returns why
 * they do not otherwise.
 */
export async function* provenRoots(
  logId: string,
  tree: Frontier,
): AsyncGenerator<ScrubWanted, Uint8Array | string, ScrubFound> {
  const count = tree.size / tileWidth
  const roots = new Uint8Array(count * hashBytes)
  let found = emptyFrontier
  while (found.size < count) {
    const limit = Math.min(rootsAtOnce, count - found.size)
    const answer: ScrubFound = yield { of: 'roots', logId, from: found.size, limit }
    const end = found.size + limit
    for (const { number, root } of answer.of === 'roots' ? answer.roots : []) {
      if (number !== found.size || number >= end || root.length !== hashBytes) break
      roots.set(root, number * hashBytes)
      found = grown(found, root)
    }
    if (found.size < end) return `the database lacks bundle ${found.size}`
  }
  const isTree =
    found.hashes.length === tree.hashes.length &&
    found.hashes.every((hash, at) => isSameHash(hash, tree.hashes[at] ?? new Uint8Array()))
  return isTree ? roots : 'the roots of the bundles in the database do not make up its tree'
}

export function rootAt(roots: Uint8Array, number: number): Uint8Array {
  return roots.subarray(number * hashBytes, (number + 1) * hashBytes)
}
