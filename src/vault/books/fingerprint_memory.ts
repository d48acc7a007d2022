import { randomBytes } from 'node:crypto'

/**
 * Which digests were seen lately, for millions of them: 16 bytes of each in typed arrays, which the garbage collector
 * does not walk. Digests are forgotten by the segment: an array that takes what comes in one span of time.
 */
export type FingerprintMemory = {
  /** `key`: a digest of 16 bytes or more. Remembered for `lifetimeMs` from `nowMs` on. */
  remember(key: Uint8Array, nowMs: number): void
  /**
   * Whether `key` was remembered. Certain for `lifetimeMs`; for up to an eighth of it longer it may still be true. Of a
   * key that never was it is true with a chance of `size` in 2^128.
   */
  has(key: Uint8Array, nowMs: number): boolean
  /** Entries that take memory now; what was remembered again may count twice. */
  readonly size: number
  /** All that is remembered at `nowMs`, 16 bytes each, with the latest time that one of them was remembered. */
  all(nowMs: number): Iterable<{ readonly keys: Uint8Array; readonly newestMs: number }>
}

type Segment = {
  /** Open addressing with linear probing; four words an entry, all 0 where there is none. */
  readonly words: Uint32Array
  readonly firstMs: number
  /** When it was last written. */
  newestMs: number
  entries: number
}

const segmentEntriesDefault = 65_536
const wordsPerSlot = 4
const segmentsPerLifetime = 8

/** `segmentEntriesMax`: a power of two. A segment has twice the slots and so takes 32 times as many bytes. */
export function createFingerprintMemory({
  lifetimeMs,
  segmentEntriesMax = segmentEntriesDefault,
}: {
  readonly lifetimeMs: number
  readonly segmentEntriesMax?: number
}): FingerprintMemory {
  if (!Number.isInteger(Math.log2(segmentEntriesMax))) throw new RangeError('segmentEntriesMax is not a power of two')
  const slots = 2 * segmentEntriesMax
  // Whoever chooses the digests must not know which slots they take, or could pile them up on one. No answer depends on
  // it, so this is not an argument.
  const salt = new Uint32Array(Uint8Array.from(randomBytes(8)).buffer)
  const [saltAdded = 0, saltFactor = 0] = salt
  let segments: readonly Segment[] = [] // oldest first
  let size = 0

  /** The place of the entry in `words`, or of the empty slot where it belongs. */
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
