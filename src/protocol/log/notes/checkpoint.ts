import { base64 } from '@scure/base'
import { hashIn, linesIn, numberIn, textOf } from '../lines.ts'
import { Malformed, type Reading, readable, reading } from '../reading.ts'

/** A statement of a log about its tree (C2SP tlog-checkpoint v1). */
export type Checkpoint = {
  /** The name of the log. */
  readonly origin: string
  /** The number of leaves, up to 2^53 - 1. */
  readonly size: number
  readonly root: Uint8Array
  /** Lines of which the specification says nothing. Claviger's logs have none. */
  readonly extensions: readonly string[]
}

/** Reads the text of a note, which ends with a line feed. */
export function readCheckpoint(text: string): Reading<Checkpoint> {
  return reading(() => {
    const [origin = '', size, root, ...extensions] = linesIn(text)
    if (origin === '' || extensions.includes('')) throw new Malformed('a line of the checkpoint is empty')
    return { origin, size: numberIn(size), root: hashIn(root), extensions }
  })
}

/** The text of a note. Throws a RangeError for what has no form. */
export function writeCheckpoint({ origin, size, root, extensions }: Checkpoint): string {
  return readable(textOf([origin, `${size}`, base64.encode(root), ...extensions]), readCheckpoint)
}
