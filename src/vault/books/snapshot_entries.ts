import { type CountEntry, encodeCount, encodeKeys, keysPerEntryMax } from './entries.ts'
import { payloadBytesMax } from './journal/journal.ts'

/** Joins entries to payloads of at most `payloadBytesMax` bytes. */
export function* gathered(entries: Iterable<Uint8Array>): Iterable<Uint8Array> {
  let collected: Uint8Array[] = []
  let bytes = 0
  for (const entry of entries) {
    if (bytes + entry.length > payloadBytesMax) {
      yield Buffer.concat(collected)
      collected = []
      bytes = 0
    }
    collected.push(Uint8Array.from(entry)) // A copy: the owner of the entry may change its bytes in place.
    bytes += entry.length
  }
  if (bytes > 0) yield Buffer.concat(collected)
}

export function* encodedKeys(
  all: Iterable<{ readonly keys: Uint8Array; readonly newestMs: number }>,
): Iterable<Uint8Array> {
  const stepBytes = keysPerEntryMax * 16
  for (const { keys, newestMs } of all) {
    for (let at = 0; at < keys.length; at += stepBytes) {
      yield encodeKeys({ keys: keys.subarray(at, at + stepBytes), atMs: newestMs })
    }
  }
}

export function* encodedCounts(all: Iterable<CountEntry>): Iterable<Uint8Array> {
  for (const entry of all) yield encodeCount(entry)
}
