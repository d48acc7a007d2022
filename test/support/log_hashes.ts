import { hashOfLogEntry } from '../../src/protocol/log/encode_entry.ts'
import { readEntriesUpTo, tileWidth } from '../../src/protocol/log/tree/tiles.ts'

/** The SHA-256 of each entry of a bundle, one after the other. */
export function hashesOfBundle(bundle: Uint8Array): Buffer {
  const entries = readEntriesUpTo(bundle, { widthMax: tileWidth })
  if (entries.kind === 'malformed') throw new Error(entries.reason)
  return Buffer.concat(entries.value.map(hashOfLogEntry))
}
