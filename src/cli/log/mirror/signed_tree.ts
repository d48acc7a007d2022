import { acceptCheckpoint } from '../../../protocol/log/accepted.ts'
import { readCheckpoint } from '../../../protocol/log/notes/checkpoint.ts'
import { openNote, readNote } from '../../../protocol/log/notes/note.ts'
import { verifierOf } from '../../../protocol/log/notes/signatures.ts'
import type { VerifierKey } from '../../../protocol/log/notes/verifier_keys.ts'
import type { Policy } from '../../../protocol/log/policy.ts'
import { LogFault } from './log_fault.ts'

/** A checkpoint that verifies. `note`: the bytes, with all signatures as they were served. */
export type SignedTree = { readonly note: Uint8Array; readonly size: number; readonly root: Uint8Array }

/** Who must have signed the checkpoints of a log: all its keys, which are not empty, and whom the policy asks for. */
export type Signers = { readonly keys: readonly VerifierKey[]; readonly policy: Policy | undefined }

/** Throws `LogFault` unless all that must have signed have. */
export function signedTreeIn(note: Uint8Array, { keys, policy }: Signers): SignedTree {
  const read = readNote(note)
  const checkpoint = read.kind === 'read' ? readCheckpoint(read.value.text) : read
  if (read.kind === 'malformed' || checkpoint.kind === 'malformed') {
    throw new LogFault(`a checkpoint is malformed: ${checkpoint.kind === 'malformed' ? checkpoint.reason : ''}`)
  }
  const { origin, size, root } = checkpoint.value
  const opened = openNote(read.value, keys.map(verifierOf))
  if (opened.kind === 'refused') throw new LogFault(`a checkpoint is refused: ${opened.reason}`)
  if (opened.by.size < keys.length) throw new LogFault('a checkpoint is refused: not all keys of the log have signed')
  if (keys.some(({ name }) => name !== origin)) throw new LogFault(`a checkpoint is of another log, ${origin}`)
  const accepted = policy && acceptCheckpoint(read.value, { policy, verifierOf })
  if (accepted?.kind === 'refused') throw new LogFault(`the policy refuses a checkpoint: ${accepted.reason}`)
  return { note, size, root }
}
