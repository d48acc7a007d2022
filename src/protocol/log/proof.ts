import { concatBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { type Accepted, acceptCheckpoint } from './accepted.ts'
import { bytesIn, hashesIn, linesIn, numberIn, textIn, textOf, utf8Of } from './lines.ts'
import { type Note, noteBytesMax, readNote, type Verifier, writeNote } from './notes/note.ts'
import type { VerifierKey } from './notes/verifier_keys.ts'
import type { Policy } from './policy.ts'
import { inner, Malformed, type Reading, readable, reading } from './reading.ts'
import { leafHash } from './tree/tree.ts'
import { includes } from './tree/tree_proofs.ts'

/** A proof that an entry is in a log, to be verified offline (C2SP tlog-proof v1). */
export type LogProof = {
  /** Bytes that nobody has signed. */
  readonly extra: Uint8Array | undefined
  readonly index: number
  /** From the leaf up. */
  readonly hashes: readonly Uint8Array[]
  /** The signed checkpoint of a tree with that leaf. */
  readonly note: Note
}

export const proofBytesMax = 2 * noteBytesMax

/** The first line. */
export const proofHeading = 'c2sp.org/tlog-proof@v1'

/** Reads a proof without verifying it. */
export function readProof(bytes: Uint8Array): Reading<LogProof> {
  return reading(() => {
    const text = textIn(bytes, { bytesMax: proofBytesMax })
    const end = text.indexOf('\n\n')
    const [first, ...lines] = linesIn(text.slice(0, end + 1))
    if (first !== proofHeading) throw new Malformed('the first line is not that of a proof')
    const extra = lines[0]?.startsWith('extra ') ? bytesIn(lines[0].slice('extra '.length)) : undefined
    const [index = '', ...hashes] = extra === undefined ? lines : lines.slice(1)
    if (!index.startsWith('index ')) throw new Malformed('there is no index')
    const note = inner(readNote(utf8Of(text.slice(end + 2))))
    return { extra, index: numberIn(index.slice('index '.length)), hashes: hashesIn(hashes), note }
  })
}

/** Throws a RangeError for what has no form. */
export function writeProof({ extra, index, hashes, note }: LogProof): Uint8Array {
  const extras = extra === undefined ? [] : [`extra ${base64.encode(extra)}`]
  const head = textOf([proofHeading, ...extras, `index ${index}`, ...hashes.map((hash) => base64.encode(hash))])
  return readable(concatBytes(utf8Of(`${head}\n`), writeNote(note)), readProof)
}

/** Whether the log that the policy names has this entry at the index of the proof, and who says so. */
export function verifyProof(
  { index, hashes, note }: LogProof,
  known: {
    readonly entry: Uint8Array
    readonly policy: Policy
    readonly verifierOf: (key: VerifierKey) => Verifier
  },
): Accepted {
  const accepted = acceptCheckpoint(note, known)
  if (accepted.kind === 'refused') return accepted
  const { size, root } = accepted.checkpoint
  const isThere = includes({ index, size, leaf: leafHash(known.entry), proof: hashes, root })
  return isThere ? accepted : { kind: 'refused', reason: 'the entry is not in the tree at this index' }
}
