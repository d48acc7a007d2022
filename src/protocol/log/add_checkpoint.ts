import { concatBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { hashesIn, linesIn, numberIn, textIn, textOf, utf8Of } from './lines.ts'
import { type Note, noteBytesMax, readNote, writeNote } from './notes/note.ts'
import { inner, Malformed, type Reading, readable, reading } from './reading.ts'

/** A log's request for a cosignature, the body of `POST …/add-checkpoint` (C2SP tlog-witness v1). */
export type AddCheckpoint = {
  /** The size of the tree that the witness has cosigned last, 0 for none. */
  readonly old: number
  /** That the new tree continues the old one. */
  readonly proof: readonly Uint8Array[]
  readonly note: Note
}

export const addCheckpointBytesMax = noteBytesMax + 4_096

/** The media type of an answer with status 409 that says which size the witness has cosigned last. */
export const sizeMediaType = 'text/x.tlog.size'

/** Reads a request without verifying it. */
export function readAddCheckpoint(bytes: Uint8Array): Reading<AddCheckpoint> {
  return reading(() => {
    const text = textIn(bytes, { bytesMax: addCheckpointBytesMax })
    const end = text.indexOf('\n\n')
    const [old = '', ...hashes] = linesIn(text.slice(0, end + 1))
    if (!old.startsWith('old ')) throw new Malformed('there is no old size')
    const note = inner(readNote(utf8Of(text.slice(end + 2))))
    return { old: numberIn(old.slice('old '.length)), proof: hashesIn(hashes), note }
  })
}

/** Throws a RangeError for what has no form. */
export function writeAddCheckpoint({ old, proof, note }: AddCheckpoint): Uint8Array {
  const head = textOf([`old ${old}`, ...proof.map((hash) => base64.encode(hash))])
  return readable(concatBytes(utf8Of(`${head}\n`), writeNote(note)), readAddCheckpoint)
}

/** Reads the body of an answer of `sizeMediaType`. */
export function readSize(bytes: Uint8Array): Reading<number> {
  return reading(() => {
    const [size, ...others] = linesIn(textIn(bytes, { bytesMax: 32 }))
    if (others.length > 0) throw new Malformed('there is more than one line')
    return numberIn(size)
  })
}

/** Throws a RangeError for what is no size. */
export function writeSize(size: number): Uint8Array {
  return readable(utf8Of(`${size}\n`), readSize)
}
