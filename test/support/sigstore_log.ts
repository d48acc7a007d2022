import { LogCheckpoint } from '@sigstore/verify/dist/tlog/checkpoint.js'
import { verifyMerkleInclusion } from '@sigstore/verify/dist/tlog/merkle.js'

/** An entry of a log and its proof, as Sigstore's verifier takes them. */
type SigstoreEntry = {
  readonly index: number
  readonly size: number
  readonly entry: Uint8Array
  readonly proof: readonly Uint8Array[]
  readonly root: Uint8Array
}

type Entry = Parameters<typeof verifyMerkleInclusion>[0]

function entryOf({ index, size, entry, proof, root }: SigstoreEntry): Entry {
  return {
    logIndex: `${index}`,
    logId: { keyId: Buffer.alloc(0) },
    kindVersion: { kind: '', version: '' },
    integratedTime: '0',
    inclusionPromise: undefined,
    canonicalizedBody: Buffer.from(entry),
    inclusionProof: {
      logIndex: `${index}`,
      treeSize: `${size}`,
      rootHash: Buffer.from(root),
      hashes: proof.map((hash) => Buffer.from(hash)),
      checkpoint: { envelope: '' },
    },
  }
}

/** Whether Sigstore's verifier finds the entry in the tree. */
export function sigstoreIncludes(entry: SigstoreEntry): boolean {
  const checkpoint = new LogCheckpoint('', BigInt(entry.size), Buffer.from(entry.root), [])
  return succeeds(() => verifyMerkleInclusion(entryOf(entry), checkpoint))
}

function succeeds(verify: () => unknown): boolean {
  try {
    verify()
    return true
  } catch {
    return false
  }
}
