import type { BookedHead } from './booked_head.ts'
import { requestMsMax } from './counts.ts'
import { beginningKeyOf } from './entry_names.ts'
import { createFingerprintMemory } from './fingerprint_memory.ts'
import { idBytes } from './ids.ts'
import { firstHeadsIn, keysOf, lostMsMax } from './known_keys.ts'

const lostSegmentEntries = 4096

/**
 * The keys of changes and the tags of heads that are on the books, and the tags of heads that the store lost. `keysMax`:
 * the size in which memory is allocated; the default suits millions of changes.
 */
export function createKnownChanges({ nowMs, keysMax }: { readonly nowMs: () => number; readonly keysMax?: number }) {
  const known = createFingerprintMemory({
    lifetimeMs: requestMsMax,
    ...(keysMax === undefined ? {} : { segmentEntriesMax: keysMax }),
  })
  const lost = createFingerprintMemory({
    lifetimeMs: lostMsMax,
    segmentEntriesMax: Math.min(lostSegmentEntries, keysMax ?? lostSegmentEntries),
  })

  const isKnown = (keyOrTag: string) => known.has(Buffer.from(keyOrTag, 'hex'), nowMs())

  return {
    isKnown,
    isLost: (tag: string) => lost.has(Buffer.from(tag, 'hex'), nowMs()),

    /**
     * Whether the change has already begun another organization. A request that is decided twice makes two
     * organizations, and their heads never meet.
     */
    beginsOtherwise: (head: BookedHead) =>
      firstHeadsIn(head).some(({ tag, changeKey }) => isKnown(beginningKeyOf(changeKey)) && !isKnown(tag)),

    remember(head: BookedHead, atMs: number): void {
      for (const key of keysOf(head)) known.remember(Buffer.from(key, 'hex'), atMs)
    },

    /** 16 bytes each. */
    rememberKeys(keys: Uint8Array, atMs: number): void {
      for (const key of keysIn(keys)) known.remember(key, atMs)
    },

    lose(tags: readonly string[]): void {
      for (const tag of tags) lost.remember(Buffer.from(tag, 'hex'), nowMs())
    },

    /** 16 bytes each. */
    loseKeys(tags: Uint8Array): void {
      for (const tag of keysIn(tags)) lost.remember(tag, nowMs())
    },

    allKnown: () => known.all(nowMs()),
    allLost: () => lost.all(nowMs()),
  }
}

function* keysIn(keys: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < keys.length; at += idBytes) yield keys.subarray(at, at + idBytes)
}
