import { randomBytes } from 'node:crypto'

/**
 * Which digests were seen lately, for millions of them: eight bytes of each in typed arrays, which the garbage collector
 * does not walk. Digests are forgotten by the segment: an array that takes what comes in one span of time.
 */
export type FingerprintMemory = {
  /** `key`: a digest of 8 bytes or more. Remembered for `lifetimeMs` from `nowMs` on. */
  remember(key: Uint8Array, nowMs: number): void
  /**
   * Whether `key` was remembered. Certain for `lifetimeMs`; for up to an eighth of it longer it may still be true. Of a
   * key that never was it is true with a chance of `size` in 2^64.
   */
  has(key: Uint8Array, nowMs: number): boolean
  /** Entries that take memory now; what was remembered again may count twice. */
  readonly size: number
}

type Segment = {
  /** Open addressing with linear probing; two words an entry, both 0 where there is none. */
  readonly words: Uint32Array
  readonly firstMs: number
  /** When it was last written. */
  newestMs: number
  entries: number
}

const segmentEntriesDefault = 65_536
const wordsPerSlot = 2
const segmentsPerLifetime = 8

/** `segmentEntriesMax`: a power of two. A segment has twice the slots and so takes 16 times as many bytes. */
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
  function placeOf(words: Uint32Array, high: number, low: number): number {
    let hash = Math.imul(high ^ saltAdded, saltFactor | 1)
    hash = Math.imul((hash ^ (hash >>> 15)) + low, saltFactor | 1)
    let slot = (hash ^ (hash >>> 15)) & (slots - 1)
    for (;;) {
      const place = slot * wordsPerSlot
      const found = words[place]
      if (found === high && words[place + 1] === low) return place
      if (found === 0 && words[place + 1] === 0) return place
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
      const { high, low } = entryOf(key)
      const segment = segmentAt(nowMs)
      segment.newestMs = Math.max(segment.newestMs, nowMs)
      const place = placeOf(segment.words, high, low)
      if (segment.words[place] === high && segment.words[place + 1] === low) return
      segment.words[place] = high
      segment.words[place + 1] = low
      segment.entries += 1
      size += 1
    },

    has(key, nowMs) {
      const { high, low } = entryOf(key)
      for (const segment of segments) {
        if (!isAlive(segment, nowMs)) continue
        const place = placeOf(segment.words, high, low)
        if (segment.words[place] === high && segment.words[place + 1] === low) return true
      }
      return false
    },

    get size() {
      return size
    },
  }
}

function entryOf(key: Uint8Array): { readonly high: number; readonly low: number } {
  const view = new DataView(key.buffer, key.byteOffset, key.byteLength)
  const high = view.getUint32(0)
  const low = view.getUint32(4)
  return { high, low: high === 0 && low === 0 ? 1 : low } // two zeroes are an empty slot
}
