import { readSize, sizeMediaType, writeAddCheckpoint } from '../../protocol/log/add_checkpoint.ts'
import { type Note, type NoteSignature, openNote, readSignatureLines } from '../../protocol/log/notes/note.ts'
import { consistencyProof } from '../../protocol/log/tree/tree_proofs.ts'
import { textOfError } from '../../protocol/tools/error_text.ts'
import type { LogRow } from '../store/store.ts'
import type { LogTiles } from './log_tiles.ts'
import type { OwnWitness } from './own_witnesses.ts'

/** The answer of a witness to a checkpoint. */
export type WitnessSays =
  /** `cosigned`: its valid cosignatures, by their names in the policy. */
  | { readonly kind: 'cosigned'; readonly cosigned: ReadonlyMap<string, NoteSignature> }
  /** It has cosigned a tree that this one does not continue, or claims so. */
  | { readonly kind: 'contradicts'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

export type Asking = {
  readonly post: (url: string, body: Uint8Array, signal: AbortSignal) => Promise<Posted>
  readonly tiles: Pick<LogTiles, 'prove'>
  readonly signal: AbortSignal
}

type Posted = { readonly status: number; readonly contentType: string | undefined; readonly body: Uint8Array }

/** A checkpoint to be cosigned, and the size of the tree that the witness has cosigned last, as far as is known. */
type AskedCheckpoint = { readonly row: LogRow; readonly note: Note; readonly old: number }

/** The first answer may only say which size it has. */
const triesMax = 2

/** Asks a witness to cosign a checkpoint (C2SP tlog-witness v1). Never rejects. */
export async function askWitness(
  { url, names }: OwnWitness,
  asked: AskedCheckpoint,
  asking: Asking,
): Promise<WitnessSays> {
  const { row, note } = asked
  let { old } = asked
  try {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const from = old
      const proof = await asking.tiles.prove(row, row.size, (hashOf) =>
        consistencyProof({ from, to: row.size }, hashOf),
      )
      const answer = await asking.post(`${url}/add-checkpoint`, writeAddCheckpoint({ old, proof, note }), asking.signal)
      const { status, body } = answer
      if (status === 200) return cosignaturesIn(body, note.text, names)
      if (status === 422) return { kind: 'contradicts', reason: 'it has cosigned what this log does not continue' }
      if (status !== 409) return { kind: 'failed', reason: `it answers with status ${status}` }
      const size = sizeIn(answer)
      if (size === undefined) return { kind: 'failed', reason: 'its answer with status 409 has no size' }
      if (size > row.size) return { kind: 'contradicts', reason: `it has cosigned ${size} entries of ${row.size}` }
      old = size
    }
    return { kind: 'failed', reason: 'it answers with one size and then with another' }
  } catch (error) {
    return { kind: 'failed', reason: asking.signal.aborted ? 'it does not answer in time' : textOfError(error) }
  }
}

function cosignaturesIn(body: Uint8Array, text: string, names: OwnWitness['names']): WitnessSays {
  const signatures = readSignatureLines(body)
  if (signatures.kind === 'malformed') return { kind: 'failed', reason: 'its answer is no cosignature' }
  const opened = openNote({ text, signatures: signatures.value }, [...names.keys()])
  if (opened.kind === 'refused') return { kind: 'failed', reason: `its cosignature is wrong: ${opened.reason}` }
  const cosigned = new Map<string, NoteSignature>()
  for (const [verifier, { timeS }] of opened.by) {
    const found = signatures.value.find(({ name, keyId }) => name === verifier.name && keyId === verifier.keyId)
    // One without a time does not say that it knew no larger tree.
    if (found !== undefined && timeS !== undefined) cosigned.set(names.get(verifier) ?? verifier.name, found)
  }
  return cosigned.size > 0 ? { kind: 'cosigned', cosigned } : { kind: 'failed', reason: 'its cosignature has no time' }
}

function sizeIn({ contentType, body }: Posted): number | undefined {
  const size = contentType === sizeMediaType ? readSize(body) : undefined
  return size?.kind === 'read' ? size.value : undefined
}
