import { setImmediate } from 'node:timers/promises'
import { decodeLogEntry } from '../../protocol/log/log_entry.ts'
import { readEntries, tileWidth } from '../../protocol/log/tree/tiles.ts'
import { hexOf } from '../../protocol/wire/identifiers.ts'
import type { IndexedBundle, Store } from '../store/store.ts'
import { allLogs } from './all_logs.ts'

/** The place of an entry in its bundle, and the beginning of its change key, by which the entries of an activity are found. */
export type IndexedPlace = { readonly place: number; readonly key: string }

const keyBytes = 4
const placeBytes = 1 + keyBytes

/** The key of an entry in the index: the first four bytes of its change key, in hex. */
export function indexKeyOf(changeKey: string): string {
  return changeKey.slice(0, 2 * keyBytes)
}

/** The organization as the index has it. */
export function indexedOrganization(organizationId: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hexOf(organizationId), 'hex'))
}

export function indexedPlaces(places: Uint8Array): readonly IndexedPlace[] {
  const bytes = Buffer.from(places.buffer, places.byteOffset, places.byteLength)
  return Array.from({ length: Math.floor(bytes.length / placeBytes) }, (_, at) => {
    const start = at * placeBytes
    return { place: bytes[start] ?? 0, key: bytes.toString('hex', start + 1, start + placeBytes) }
  })
}

/** The rows of the index for a bundle: one for each organization that has entries in it. */
export function indexRowsOf(number: number, entries: readonly Uint8Array[]): IndexedBundle['rows'] {
  const places = new Map<string, string>()
  for (const [place, bytes] of entries.entries()) {
    const entry = decodeLogEntry(bytes)
    if (entry === undefined) throw new Error(`an entry of bundle ${number} of the transparency log cannot be read`)
    const { organizationId, changeKey } = entry
    const known = places.get(organizationId) ?? ''
    places.set(organizationId, `${known}${place.toString(16).padStart(2, '0')}${indexKeyOf(changeKey)}`)
  }
  return [...places].map(([organizationId, hex]) => {
    return { organization: indexedOrganization(organizationId), number, places: Buffer.from(hex, 'hex') }
  })
}

/** Indexes the bundles of logs, in order, each once it is stored. */
export function createIndexer(store: Pick<Store, 'logs' | 'log' | 'logBundle' | 'indexBundle'>, closing: AbortSignal) {
  /** Up to the last whole bundle, or to one that the database lacks. */
  async function index(logId: string): Promise<void> {
    const log = await store.log(logId)
    const whole = Math.floor((log?.size ?? 0) / tileWidth)
    for (let number = log?.indexed ?? 0; number < whole && !closing.aborted; number += 1) {
      const bundle = await store.logBundle({ logId, number })
      const entries = bundle && readEntries(bundle, { width: tileWidth })
      if (entries?.kind !== 'read') return
      await store.indexBundle({ logId, number, rows: indexRowsOf(number, entries.value) })
      await setImmediate()
    }
  }

  return {
    index,
    /** The logs of all nodes, whatever versions of the program have stored them. */
    async indexAll(): Promise<void> {
      for await (const { logId, size, indexed } of allLogs(store)) {
        if (Math.floor(size / tileWidth) > indexed) await index(logId)
      }
    },
  }
}
