import { hashOfLogEntry } from '../../protocol/log/encode_entry.ts'
import { hashBytes } from '../../protocol/log/lines.ts'
import { readEntries, tileWidth } from '../../protocol/log/tree/tiles.ts'
import { leafHash } from '../../protocol/log/tree/tree.ts'
import { createByteCache } from '../../protocol/tools/byte_cache.ts'
import { singleFlights } from '../../protocol/tools/single_flight.ts'
import type { LogRow, Store } from '../store/store.ts'

/** The SHA-256 of each entry, which is all that the public log shows of it, and the hashes of their leaves. */
export type BundleHashes = { readonly entries: readonly Uint8Array[]; readonly leaves: Uint8Array }

type Bundle = { readonly log: LogRow; readonly number: number }

const cachedBytesMax = 8 * 1024 * 1024
/** Those of one bundle take about so many bytes: each hash of an entry is an object of its own. */
const bytesOfBundle = 64 * 1024

/**
 * Returns a function that reads the hashes of a bundle, or of the entries after the last whole one. Each of the 256
 * beginnings of a bundle is a file of its own, and the bundle never changes, so those who ask at once share a reading.
 */
export function createBundleHashes(
  store: Pick<Store, 'logBundle'>,
): (bundle: Bundle) => Promise<BundleHashes | undefined> {
  const cache = createByteCache<BundleHashes>({ bytesMax: cachedBytesMax })

  async function read(bundle: Bundle): Promise<BundleHashes | undefined> {
    const key = keyOf(bundle)
    const known = cache.get(key)
    if (known !== undefined) return known
    const entries = isWhole(bundle) ? await entriesOf(bundle) : hashesIn(bundle.log.last)
    if (entries === undefined) return undefined
    const hashes = { entries, leaves: Buffer.concat(entries.map(leafHash)) }
    cache.set(key, hashes, bytesOfBundle)
    return hashes
  }

  async function entriesOf({ log: { logId }, number }: Bundle): Promise<readonly Uint8Array[] | undefined> {
    const bytes = await store.logBundle({ logId, number })
    const entries = bytes && readEntries(bytes, { width: tileWidth })
    return entries?.kind === 'read' ? entries.value.map(hashOfLogEntry) : undefined
  }

  return singleFlights(read, keyOf)
}

function keyOf(bundle: Bundle): string {
  const { log, number } = bundle
  return isWhole(bundle) ? `${log.logId} ${number}` : `${log.logId} up to ${log.size}`
}

function isWhole({ log, number }: Bundle): boolean {
  return (number + 1) * tileWidth <= log.size
}

function hashesIn(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: bytes.length / hashBytes }, (_, at) =>
    bytes.subarray(at * hashBytes, (at + 1) * hashBytes),
  )
}
