import type { BookedHead } from './booked_head.ts'
import { decodeHead, type HeadEntry, headIdOffset, headPlaceOf } from './entries.ts'
import { createHeadTable, type Piece } from './head_table.ts'

const decodedMax = 1024

/** Keeps the newest head of each organization, and which of them are on disk. */
export function createNewestHeads(portions: { readonly chunkBytes?: number } = {}) {
  const table = createHeadTable({ idOffset: headIdOffset, ...portions })
  /** Heads that were decoded: each request asks for its organization's newest head several times. */
  const decoded = new Map<string, BookedHead>()
  /** Organizations whose newest head may not be on disk yet, in the order in which these heads were taken up. */
  const unsynced = new Map<string, number>()
  let taken = 0

  function entryOf(organizationId: string): HeadEntry | undefined {
    const entry = table.get(organizationId)
    return entry && decodeHead(entry)
  }

  return {
    entryOf,

    newest(organizationId: string): BookedHead | undefined {
      const known = decoded.get(organizationId)
      if (known !== undefined) return known
      const head = entryOf(organizationId)?.head
      if (head === undefined) return undefined
      if (decoded.size >= decodedMax) decoded.clear()
      decoded.set(organizationId, head)
      return head
    },

    put(organizationId: string, entry: Buffer): void {
      table.set({ bytes: entry, start: 0, end: entry.length })
      decoded.delete(organizationId)
      taken += 1
      unsynced.delete(organizationId)
      unsynced.set(organizationId, taken)
    },

    /** Takes a head up from the journal, if it is a later one. */
    replay(entry: Piece, version: number): void {
      table.set(entry, (before) => headPlaceOf(before).version < version)
    },

    /** How many heads were taken up so far, for `onDisk`. */
    taken: () => taken,

    /** As many heads as were taken up first are on disk. */
    onDisk(count: number): void {
      for (const [organizationId, order] of unsynced) {
        if (order > count) break
        unsynced.delete(organizationId)
      }
    },

    isOnDisk: (organizationId: string) => !unsynced.has(organizationId),

    clear(): void {
      table.clear()
      decoded.clear()
      unsynced.clear()
    },

    entries: () => table.entries(),
    count: () => table.size,
  }
}
