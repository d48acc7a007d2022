import { setImmediate } from 'node:timers/promises'
import { hashBytes } from '../../protocol/log/lines.ts'
import {
  madeFromTiles,
  readEntriesUpTo,
  rootOver,
  type Tile,
  tilePath,
  tileWidth,
  writeEntries,
} from '../../protocol/log/tree/tiles.ts'
import type { HashOf } from '../../protocol/log/tree/tree_proofs.ts'
import { createByteCache } from '../../protocol/tools/byte_cache.ts'
import type { LogRow, Store } from '../store/store.ts'
import { createBundleHashes } from './bundle_hashes.ts'

/** Makes the files of logs from what the database keeps: the entries of each bundle, and its root. */
export type LogTiles = {
  /** The hashes at the beginning of a tile, or its entries. Undefined: the database lacks something. */
  bytesOf(log: LogRow, tile: Tile): Promise<Uint8Array | undefined>
  /** The whole entries of a bundle, as many as the newest tree covers. Undefined: the database lacks them. */
  entriesOf(log: LogRow, number: number): Promise<readonly Uint8Array[] | undefined>
  /** Makes a proof in the tree of this size. Throws if the database lacks something. */
  prove<Proof>(log: LogRow, size: number, make: (hashOf: HashOf) => Proof): Promise<Proof>
}

/** Roots of tiles that were computed from those of bundles, 32 bytes each. */
const rootsBytesMax = 4 * 1024 * 1024

export function createLogTiles(store: Pick<Store, 'logBundle' | 'bundleRoots'>): LogTiles {
  const roots = createByteCache<Uint8Array>({ bytesMax: rootsBytesMax })
  const hashesOf = createBundleHashes(store)
  return { bytesOf, entriesOf, prove }

  async function prove<Proof>(log: LogRow, size: number, make: (hashOf: HashOf) => Proof): Promise<Proof> {
    return madeFromTiles(make, {
      size,
      bytesOf: async (tile) => {
        const found = await bytesOf(log, tile)
        if (found === undefined) throw new Error(`the database lacks ${tilePath(tile)} of the log ${log.logId}`)
        return found
      },
    })
  }

  async function bytesOf(log: LogRow, { level, index, width }: Tile): Promise<Uint8Array | undefined> {
    if (level === 'entries' || level === 0) {
      const hashes = await hashesOf({ log, number: index })
      if (hashes === undefined) return undefined
      return level === 0 ? hashes.leaves.subarray(0, width * hashBytes) : writeEntries(hashes.entries.slice(0, width))
    }
    if (level === 1) return bundleRoots(log, index * tileWidth, width)
    const found: Uint8Array[] = []
    for (let at = 0; at < width; at += 1) {
      await setImmediate() // Each has hundreds of hashes below it.
      const root = await rootOf(log, level - 1, index * tileWidth + at)
      if (root === undefined) return undefined
      found.push(root)
    }
    return Buffer.concat(found)
  }

  async function entriesOf({ logId, size }: LogRow, number: number): Promise<readonly Uint8Array[] | undefined> {
    const width = Math.min(tileWidth, size - number * tileWidth)
    const bundle = await store.logBundle({ logId, number })
    // The last bundle may have grown since the size was read.
    const entries = bundle && readEntriesUpTo(bundle, { widthMax: tileWidth })
    return entries?.kind === 'read' && entries.value.length >= width ? entries.value.slice(0, width) : undefined
  }

  /** A bundle is a full tile of level 0, and the database has its root. */
  async function bundleRoots({ logId }: LogRow, from: number, limit: number): Promise<Uint8Array | undefined> {
    const found = await store.bundleRoots({ logId, from, limit })
    const isWhole = found.length === limit && found.every(({ number }, at) => number === from + at)
    return isWhole ? Buffer.concat(found.map(({ root }) => root)) : undefined
  }

  /** The root of a full tile above the bundles. */
  async function rootOf(log: LogRow, level: number, index: number): Promise<Uint8Array | undefined> {
    const key = `${log.logId} ${level} ${index}`
    const known = roots.get(key)
    if (known !== undefined) return known
    const hashes = await bytesOf(log, { level, index, width: tileWidth })
    const root = hashes && rootOver(hashes)
    if (root !== undefined) roots.set(key, root, hashBytes)
    return root
  }
}
