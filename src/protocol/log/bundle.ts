import { concatBytes } from '@noble/hashes/utils.js'
import { hashOfLogEntry } from './encode_entry.ts'
import { readEntries, rootOver, tileWidth } from './tree/tiles.ts'
import { leafHash } from './tree/tree.ts'

/** The entries of a whole bundle, and the root over their leaves. */
export type Bundle = { readonly entries: readonly Uint8Array[]; readonly root: Uint8Array }

/** Reads a whole bundle of entries. Undefined: the bytes are none. */
export function readBundle(bytes: Uint8Array): Bundle | undefined {
  const entries = readEntries(bytes, { width: tileWidth })
  if (entries.kind === 'malformed') return undefined
  const leaves = entries.value.map((entry) => leafHash(hashOfLogEntry(entry)))
  return { entries: entries.value, root: rootOver(concatBytes(...leaves)) }
}
