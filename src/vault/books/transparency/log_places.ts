import type { LoggedHead } from '../../../protocol/log/log_entry.ts'
import { hexOf } from '../../../protocol/wire/identifiers.ts'
import { noId } from '../booked_head.ts'
import { createHeadTable, type Piece } from '../head_table.ts'
import { decodePlace, encodePlace, type Place, placeIdOffset } from './journal_entries.ts'

/** The place of the last entry of each organization in a log, for millions of them. */
export type LogPlaces = ReturnType<typeof createLogPlaces>

export function createLogPlaces(portions: { readonly chunkBytes?: number }) {
  const table = createHeadTable({ idOffset: placeIdOffset, ...portions })
  return {
    of(organizationId: string): Place | undefined {
      const found = table.get(organizationId)
      return found && decodePlace(found)
    },

    put(organizationId: string, place: Place): void {
      const bytes = encodePlace(hexOf(organizationId), place)
      table.set({ bytes, start: 0, end: bytes.length })
    },

    /** Takes a place up from the journal, if it is a later one. */
    replay(entry: Piece): void {
      const { number } = decodePlace(entry.bytes.subarray(entry.start, entry.end))
      table.set(entry, (before) => decodePlace(before).number < number)
    },

    /** As entries of the journal, in no order. */
    entries: () => table.entries(),
  }
}

/** The place of an entry at `index` that comes after the one at `before`, and makes a head of this journal or none. */
export function placeAfter(
  before: Place | undefined,
  { makes, index }: { readonly makes: LoggedHead | undefined; readonly index: number },
  journalId: string,
): Place {
  const number = (before?.number ?? 0) + 1
  if (makes !== undefined) return { number, index, maker: journalId, ...makes }
  const { maker, version, tag } = before ?? { maker: noId, version: 0, tag: noId }
  return { number, index, maker, version, tag }
}
