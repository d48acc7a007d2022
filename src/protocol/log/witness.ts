import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { readAddCheckpoint } from './add_checkpoint.ts'
import { utf8Of } from './lines.ts'
import { readCheckpoint } from './notes/checkpoint.ts'
import { openNote, type Signer, signatureOf, type Verifier, writeSignatureLines } from './notes/note.ts'
import { emptyRoot } from './tree/tree.ts'
import { continues } from './tree/tree_proofs.ts'

/** A tree that was cosigned. */
export type TreeHead = { readonly size: number; readonly root: Uint8Array }

/** A log that the witness cosigns. */
export type WitnessedLog = {
  /** Those of the keys that it trusts for this origin. */
  readonly verifiers: readonly Verifier[]
  /** The newest tree of this origin that it has cosigned. */
  readonly latest: TreeHead | undefined
}

/** The answer to a request: its status, and what belongs to that. */
export type WitnessAnswer =
  | {
      readonly status: 200
      readonly origin: string
      /** To be stored durably in place of `latest`, if that is still the same, before the cosignatures leave. */
      readonly head: TreeHead
      /** To be signed: `cosignatures`. */
      readonly text: string
    }
  | { readonly status: 400 | 403 | 404 | 422; readonly reason: string }
  | {
      readonly status: 409
      /** The size that was cosigned last, for a body of `sizeMediaType`. */
      readonly size: number
    }

/**
 * Decides about the body of `POST …/add-checkpoint` (C2SP tlog-witness v1), in the order of the specification. To
 * decide and to store must be one step for each origin, or a tree could shrink between them.
 */
export function decide(body: Uint8Array, logOf: (origin: string) => WitnessedLog | undefined): WitnessAnswer {
  const request = readAddCheckpoint(body)
  if (request.kind === 'malformed') return { status: 400, reason: request.reason }
  const { old, proof, note } = request.value
  const checkpoint = readCheckpoint(note.text)
  if (checkpoint.kind === 'malformed') return { status: 400, reason: checkpoint.reason }
  const { origin, size, root } = checkpoint.value
  const log = logOf(origin)
  if (log === undefined) return { status: 404, reason: 'the log is not known' }
  const opened = openNote(note, log.verifiers)
  if (opened.kind === 'refused') return { status: 403, reason: opened.reason }
  if (old > size) return { status: 400, reason: 'the old size is above the new one' }
  const latest = log.latest ?? { size: 0, root: emptyRoot }
  if (old !== latest.size) return { status: 409, size: latest.size }
  const isContinued = continues({ from: old, to: size, fromRoot: latest.root, toRoot: root, proof })
  if (!isContinued) return { status: 422, reason: 'the new tree does not continue the old one' }
  return { status: 200, origin, head: { size, root }, text: note.text }
}

/**
 * The body of an answer with status 200. The signers say a time, which is not 0. Throws a RangeError if one of them
 * cannot sign this text, so it is made before the head is stored.
 */
export function cosignatures(text: string, signers: readonly Signer[]): Uint8Array {
  return writeSignatureLines(signers.map((signer) => signatureOf(text, signer)))
}

/** The path below the prefix of a witness where the newest checkpoint of a log is that it has cosigned. */
export function witnessedPath(origin: string): string {
  return `${bytesToHex(sha256(utf8Of(origin)))}/checkpoint`
}
