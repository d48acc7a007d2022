import { type Checkpoint, readCheckpoint, writeCheckpoint } from '../../../protocol/log/notes/checkpoint.ts'
import { openNote, readNote, signatureOf, writeNote } from '../../../protocol/log/notes/note.ts'
import { signerOf, verifierKeyOf, verifierOf } from '../../../protocol/log/notes/signatures.ts'
import { writeVerifierKey } from '../../../protocol/log/notes/verifier_keys.ts'
import { type Frontier, rootOf } from '../../../protocol/log/tree/tree.ts'
import type { Seals } from '../../keys/seal.ts'

/** Signs the checkpoints of one log. */
export type CheckpointSigner = {
  /** The keys of the log, each as `name+id+key` (C2SP signed-note). */
  readonly keys: readonly string[]
  /** Returns the signed checkpoint of the tree (C2SP tlog-checkpoint). */
  sign(tree: Frontier): Uint8Array
  /** Reads a note if it is a checkpoint that this log has signed. */
  signedHere(note: Uint8Array): Checkpoint | undefined
}

/** By Ed25519, which every witness knows, and by ML-DSA-44, which a quantum computer does not break. */
const keyTypes = ['Ed25519', 'ML-DSA-44 cosignature'] as const
/** A log says no time: its signature only says that it is its tree. */
const noTime = { timeS: 0 }

/** Each origin has keys of its own, so that no log can sign for another one. */
export function createCheckpointSigner(seals: Pick<Seals, 'publishedSecret'>, origin: string): CheckpointSigner {
  const signed = keyTypes.map((type) => {
    using secret = seals.publishedSecret(`log ${type} ${origin}`, 0)
    const key = { name: origin, type, seed: secret }
    const verifierKey = verifierKeyOf(key)
    return {
      ...{ signer: signerOf(key, noTime), key: writeVerifierKey(verifierKey) },
      verifier: verifierOf(verifierKey),
    }
  })
  const verifiers = signed.map(({ verifier }) => verifier)
  return {
    keys: signed.map(({ key }) => key),

    sign(tree) {
      const text = writeCheckpoint({ origin, size: tree.size, root: rootOf(tree), extensions: [] })
      return writeNote({ text, signatures: signed.map(({ signer }) => signatureOf(text, signer)) })
    },

    signedHere(bytes) {
      const note = readNote(bytes)
      if (note.kind === 'malformed' || openNote(note.value, verifiers).kind === 'refused') return undefined
      const checkpoint = readCheckpoint(note.value.text)
      return checkpoint.kind === 'read' && checkpoint.value.origin === origin ? checkpoint.value : undefined
    },
  }
}
