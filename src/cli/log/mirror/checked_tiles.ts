import { hashBytes } from '../../../protocol/log/lines.ts'
import {
  madeFromTiles,
  readEntries,
  rootOver,
  type Tile,
  tileAt,
  tilePath,
  tileWidth,
} from '../../../protocol/log/tree/tiles.ts'
import { isSameHash, leafHash } from '../../../protocol/log/tree/tree.ts'
import { type HashOf, rootAt } from '../../../protocol/log/tree/tree_proofs.ts'
import { createByteCache } from '../../../protocol/tools/byte_cache.ts'
import { LogFault } from './log_fault.ts'
import type { SignedTree } from './signed_tree.ts'

/** Where the bytes of a tile may come from, the next one if those of the one before are wrong or missing. */
export type TileSource = (tile: Tile) => Promise<Uint8Array | undefined>

/** The tiles of a signed tree, each of which leads to its root. All throw `LogFault` if no source has the right bytes. */
export type CheckedTiles = {
  /** A bundle of entries with the hashes of its leaves, which are the tile of level 0. */
  bundle(index: number): Promise<CheckedBundle>
  /** The hashes of a tile of any level. */
  hashes(tile: Tile): Promise<Uint8Array>
  prove<Proof>(make: (hashOf: HashOf) => Proof): Promise<Proof>
}

export type CheckedBundle = { readonly tile: Tile; readonly entries: Uint8Array; readonly leaves: Uint8Array }

/** Tiles above the bundles. A log of a hundred million entries has as many. */
const cacheBytesMax = 16 * 1024 * 1024

export async function checkedTilesOf(
  { size, root }: Pick<SignedTree, 'size' | 'root'>,
  sources: readonly TileSource[],
): Promise<CheckedTiles> {
  const known = createByteCache<Promise<Uint8Array>>({ bytesMax: cacheBytesMax })
  // The tiles that are not full have no hash above them. The root is over all of these together.
  const edge = new Map<string, Uint8Array>()
  const isEdge = await edgeIn()
  if (!isEdge) throw new LogFault('the newest tiles are not those of the checkpoint')
  return { bundle, hashes, prove }

  async function edgeIn(): Promise<boolean> {
    for (const source of sources) {
      const found = await madeFromTiles((hashOf) => rootAt(size, hashOf), {
        size,
        bytesOf: async (tile) => {
          const bytes = tile.level === 0 ? (await bundleFrom(source, tile))?.leaves : await source(tile)
          const whole = bytes?.length === tile.width * hashBytes ? bytes : new Uint8Array(tile.width * hashBytes)
          edge.set(tilePath(tile), whole)
          return whole
        },
      })
      if (isSameHash(found, root)) return true
    }
    return false
  }

  async function bundle(index: number): Promise<CheckedBundle> {
    const tile = tileIn(0, index)
    for (const source of sources) {
      const found = await bundleFrom(source, tile)
      if (found !== undefined && (await isOfTree(tile, found.leaves))) return found
    }
    throw new LogFault(`the file ${tilePath({ ...tile, level: 'entries' })} is not that of the checkpoint`)
  }

  async function hashes(tile: Tile): Promise<Uint8Array> {
    const path = tilePath(tile)
    const found = edge.get(path) ?? known.get(path)
    if (found !== undefined) return found
    // Those who need it at once wait for one answer.
    const asked = hashesFrom(tile)
    known.set(path, asked, tileWidth * hashBytes)
    return asked
  }

  async function hashesFrom(tile: Tile): Promise<Uint8Array> {
    for (const source of sources) {
      const bytes = tile.level === 0 ? (await bundleFrom(source, tile))?.leaves : await source(tile)
      if (bytes !== undefined && (await isOfTree(tile, bytes))) return bytes
    }
    throw new LogFault(`the file ${tilePath(tile)} is not that of the checkpoint`)
  }

  async function isOfTree(tile: Tile, bytes: Uint8Array): Promise<boolean> {
    const onEdge = edge.get(tilePath(tile))
    if (onEdge !== undefined) return isSameHash(bytes, onEdge)
    return bytes.length === tileWidth * hashBytes && isSameHash(rootOver(bytes), await hashAbove(tile))
  }

  /** The hash of a full tile in the one above. */
  async function hashAbove({ level, index }: Tile): Promise<Uint8Array> {
    const bytes = await hashes(tileIn(Number(level) + 1, Math.floor(index / tileWidth)))
    const place = (index % tileWidth) * hashBytes
    return bytes.subarray(place, place + hashBytes)
  }

  function tileIn(level: number, index: number): Tile {
    const tile = tileAt({ level, index, size })
    if (tile === undefined) throw new RangeError('the tree has no such tile')
    return tile
  }

  function prove<Proof>(make: (hashOf: HashOf) => Proof): Promise<Proof> {
    return madeFromTiles(make, { size, bytesOf: hashes })
  }
}

async function bundleFrom(source: TileSource, tile: Tile): Promise<CheckedBundle | undefined> {
  const entries = await source({ ...tile, level: 'entries' })
  const read = entries && readEntries(entries, tile)
  if (entries === undefined || read?.kind !== 'read') return undefined
  return { tile, entries, leaves: Buffer.concat(read.value.map(leafHash)) }
}
