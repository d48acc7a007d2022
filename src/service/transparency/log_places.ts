import { setImmediate } from 'node:timers/promises'
import { decodeLogEntry } from '../../protocol/log/log_entry.ts'
import { tileWidth } from '../../protocol/log/tree/tiles.ts'
import type { IndexedLog, Store } from '../store/store.ts'
import { type IndexedPlace, indexedOrganization, indexedPlaces, indexKeyOf } from './log_index.ts'

/** A bundle in which an organization has entries, and where. */
export type BundlePlaces = { readonly number: number; readonly places: readonly IndexedPlace[] }

/** Rows of the index that are looked through at a time. */
const sliceRowsMax = 500
/** So many bundles may wait to be indexed. Each of them is read as a whole. */
const unindexedMax = 64

/**
 * The bundles of a log in which an organization has entries, in order, from one on: by the index, and behind its end by
 * the bundles themselves.
 */
export async function* placesIn(
  store: Pick<Store, 'logIndex'>,
  bundleOf: (number: number) => Promise<readonly Uint8Array[]>,
  { log, organizationId, from }: { readonly log: IndexedLog; readonly organizationId: string; readonly from: number },
): AsyncGenerator<BundlePlaces, void, undefined> {
  const { logId, indexed, size } = log
  const organization = indexedOrganization(organizationId)
  let next = from
  while (next < indexed) {
    const rows = await store.logIndex({ organization, logId, from: next, limit: sliceRowsMax })
    for (const { number, places } of rows) if (number < indexed) yield { number, places: indexedPlaces(places) }
    next = rows.length < sliceRowsMax ? indexed : (rows.at(-1)?.number ?? indexed) + 1
    await setImmediate() // so that others have their turns
  }
  const end = Math.ceil(size / tileWidth)
  if (end - next > unindexedMax) throw new Error(`the log ${logId} is being indexed`)
  for (let number = next; number < end; number += 1) {
    const places = (await bundleOf(number)).flatMap((bytes, place) => {
      const entry = decodeLogEntry(bytes)
      return entry?.organizationId === organizationId ? [{ place, key: indexKeyOf(entry.changeKey) }] : []
    })
    if (places.length > 0) yield { number, places }
  }
}
