import { writeAddCheckpoint } from '../../src/protocol/log/add_checkpoint.ts'
import { writeCheckpoint } from '../../src/protocol/log/notes/checkpoint.ts'
import { type SigningKey, signerOf } from '../../src/protocol/log/notes/signatures.ts'
import { emptyFrontier, emptyRoot, grown, leafHash, nodeHash, rootOf } from '../../src/protocol/log/tree/tree.ts'
import { consistencyProof, type HashOf } from '../../src/protocol/log/tree/tree_proofs.ts'
import type { TreeHead } from '../../src/protocol/log/witness.ts'
import { signedNote } from './log_keys.ts'

const leavesMax = 64

/** A log in memory with some leaves, which its `salt` decides, and the requests with which it asks a witness. */
export function smallLog(key: SigningKey, salt = 0) {
  const leaves = Array.from({ length: leavesMax }, (_, at) => leafHash(Buffer.of(salt, at)))
  const roots = [emptyRoot]
  let frontier = emptyFrontier
  for (const leaf of leaves) {
    frontier = grown(frontier, leaf)
    roots.push(rootOf(frontier))
  }
  const hashOf: HashOf = ({ level, index }) => {
    if (level === 0) return leaves[index] ?? emptyRoot
    return nodeHash(hashOf({ level: level - 1, index: index * 2 }), hashOf({ level: level - 1, index: index * 2 + 1 }))
  }
  const textAt = (size: number, extensions: readonly string[] = []) =>
    writeCheckpoint({ origin: key.name, size, root: roots[size] ?? emptyRoot, extensions })
  const noteOf = (text: string) => signedNote(text, [signerOf(key, { timeS: 0 })])
  return {
    textAt,
    hashOf,
    headAt: (size: number): TreeHead => ({ size, root: roots[size] ?? emptyRoot }),
    /** The request for a cosignature of the tree of `to` leaves, with the proof from `from`, which is `old` if not given. */
    request({
      old,
      to,
      from = old,
      text = textAt(to),
    }: {
      readonly old: number
      readonly to: number
      readonly from?: number
      readonly text?: string
    }): Uint8Array {
      return writeAddCheckpoint({ old, proof: consistencyProof({ from, to }, hashOf), note: noteOf(text) })
    },
  }
}
