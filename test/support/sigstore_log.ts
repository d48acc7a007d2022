import type { KeyObject } from 'node:crypto'
import { LogCheckpoint, verifyCheckpoint } from '@sigstore/verify/dist/tlog/checkpoint.js'
import { verifyMerkleInclusion } from '@sigstore/verify/dist/tlog/merkle.js'

/** An entry of a log, its proof and its checkpoint, as Sigstore's verifier takes them. */
export type SigstoreEntry = {
  readonly index: number
  readonly size: number
  readonly entry: Uint8Array
  readonly proof: readonly Uint8Array[]
  readonly root: Uint8Array
  /** The signed note. */
  readonly envelope?: string
}

type Entry = Parameters<typeof verifyMerkleInclusion>[0]

function entryOf({ index, size, entry, proof, root, envelope = '' }: SigstoreEntry): Entry {
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
      checkpoint: { envelope },
    },
  }
}

/** Whether Sigstore's verifier finds the entry in the tree. */
export function sigstoreIncludes(entry: SigstoreEntry): boolean {
  const checkpoint = new LogCheckpoint('', BigInt(entry.size), Buffer.from(entry.root), [])
  return succeeds(() => verifyMerkleInclusion(entryOf(entry), checkpoint))
}

/** Whether Sigstore's verifier takes the checkpoint as signed by this Ed25519 key. `keyId` are the note's four bytes. */
export function sigstoreVerifies(
  entry: SigstoreEntry,
  { name, keyId, publicKey }: { readonly name: string; readonly keyId: Uint8Array; readonly publicKey: KeyObject },
): boolean {
  const always = { start: new Date(0), end: new Date(8.64e15) }
  const log = { logID: Buffer.from(keyId), baseURL: `https://${name}`, publicKey, validFor: always }
  return succeeds(() => verifyCheckpoint(entryOf(entry), [log]))
}

function succeeds(verify: () => unknown): boolean {
  try {
    verify()
    return true
  } catch {
    return false
  }
}
