import { randomBytes } from 'node:crypto'

/**
 * Remembers millions of recent digests. It keeps 16 bytes of each digest in typed arrays, which the garbage collector
 * does not walk. A segment is one array that takes the digests of one span of time. Whole segments are forgotten.
 */
export type FingerprintMemory = {
  /** Remembers `key`, a digest of 16 bytes or more, for `lifetimeMs` from `nowMs` on. */
  remember(key: Uint8Array, nowMs: number): void
  /**
   * Whether `key` was remembered. It returns true for `lifetimeMs`, and may return true for up to an eighth of
   * `lifetimeMs` longer. For a key that was never remembered it returns true with a probability of `size` in 2^128.
   */
  has(key: Uint8Array, nowMs: number): boolean
  /** The number of entries in memory. A key that was remembered again may count twice. */
  readonly size: number
  /** All keys that are remembered at `nowMs`, 16 bytes each, by segment, with the time of the segment's latest key. */
  all(nowMs: number): Iterable<{ readonly keys: Uint8Array; readonly newestMs: number }>
}

type Segment = {
  /** A table with open addressing and linear probing. An entry has four words; an empty slot has four zeroes. */
  readonly words: Uint32Array
  readonly firstMs: number
  /** When the segment was last written. */
  newestMs: number
  entries: number
}

const segmentEntriesDefault = 65_536
const wordsPerSlot = 4
const segmentsPerLifetime = 8

type MemoryBounds = { readonly lifetimeMs: number; readonly segmentEntriesMax?: number }

/** `segmentEntriesMax` is a power of two. A segment has twice as many slots, so it takes 32 bytes for each entry. */
export function createFingerprintMemory({
  lifetimeMs,
  segmentEntriesMax = segmentEntriesDefault,
}: MemoryBounds): FingerprintMemory {
  if (!Number.isInteger(Math.log2(segmentEntriesMax))) throw new RangeError('segmentEntriesMax is not a power of two')
  const slots = 2 * segmentEntriesMax
  // A client that chooses digests must not know their slots: it could choose many digests that share one slot. No
  // result depends on the salt, so it is not a parameter.
  const salt = new Uint32Array(Uint8Array.from(randomBytes(8)).buffer)
  const [saltAdded = 0, saltFactor = 0] = salt
  let segments: readonly Segment[] = [] // oldest first
  let size = 0

  /** Returns the index of the entry in `words`, or of the empty slot where the entry belongs. */
  function placeOf(words: Uint32Array, entry: Entry): number {
    let hash = Math.imul(entry[0] ^ saltAdded, saltFactor | 1)
    hash = Math.imul((hash ^ (hash >>> 15)) + entry[1], saltFactor | 1)
    let slot = (hash ^ (hash >>> 15)) & (slots - 1)
    for (;;) {
      const place = slot * wordsPerSlot
      if (isAt(words, place, entry) || isAt(words, place, emptySlot)) return place
      slot = (slot + 1) & (slots - 1)
    }
  }

  function segmentAt(nowMs: number): Segment {
    const current = segments.at(-1)
    const spanMs = lifetimeMs / segmentsPerLifetime
    if (current !== undefined && current.entries < segmentEntriesMax && nowMs - current.firstMs <= spanMs) {
      return current
    }
    const words = new Uint32Array(slots * wordsPerSlot)
    const segment: Segment = { words, firstMs: nowMs, newestMs: nowMs, entries: 0 }
    segments = [...segments.filter((older) => isAlive(older, nowMs)), segment]
    size = segments.reduce((sum, { entries }) => sum + entries, 0)
    return segment
  }

  function isAlive({ newestMs }: Segment, nowMs: number): boolean {
    return nowMs - newestMs <= lifetimeMs
  }

  return {
    remember(key, nowMs) {
      const entry = entryOf(key)
      const segment = segmentAt(nowMs)
      segment.newestMs = Math.max(segment.newestMs, nowMs)
      const place = placeOf(segment.words, entry)
      if (isAt(segment.words, place, entry)) return
      segment.words.set(entry, place)
      segment.entries += 1
      size += 1
    },

    has(key, nowMs) {
      const entry = entryOf(key)
      for (const segment of segments) {
        if (!isAlive(segment, nowMs)) continue
        if (isAt(segment.words, placeOf(segment.words, entry), entry)) return true
      }
      return false
    },

    get size() {
      return size
    },

    *all(nowMs) {
      for (const segment of segments) {
        if (!isAlive(segment, nowMs)) continue
        const { words, newestMs } = segment
        const keys = Buffer.allocUnsafe(segment.entries * keyBytes)
        let at = 0
        for (let place = 0; place < words.length; place += wordsPerSlot) {
          if (isAt(words, place, emptySlot)) continue
          for (let word = 0; word < wordsPerSlot; word += 1) at = keys.writeUInt32BE(words[place + word] ?? 0, at)
        }
        yield { keys, newestMs }
      }
    },
  }
}

type Entry = readonly [number, number, number, number]

const keyBytes = 16
const emptySlot: Entry = [0, 0, 0, 0]

function isAt(words: Uint32Array, place: number, entry: Entry): boolean {
  return (
    words[place] === entry[0] &&
    words[place + 1] === entry[1] &&
    words[place + 2] === entry[2] &&
    words[place + 3] === entry[3]
  )
}

function entryOf(key: Uint8Array): Entry {
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength)
  const entry: Entry = [view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12)]
  return entry.every((word) => word === 0) ? [0, 0, 0, 1] : entry
}
