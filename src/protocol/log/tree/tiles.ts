import { concatBytes } from '@noble/hashes/utils.js'
import { hashBytes, numberIn } from '../lines.ts'
import { inner, Malformed, type Reading, readable, reading } from '../reading.ts'
import { nodeHash, treeSizeMax } from './tree.ts'
import type { HashOf, TreeNode } from './tree_proofs.ts'

/** So many hashes or entries stand in a full tile. */
export const tileWidth = 256
/** A tile of one level has the roots of the full tiles below it, each of so many levels of the tree. */
const tileLevels = 8
const levelMax = 63
const pathCharactersMax = 64
const entryBytesMax = 0xffff

/** A file of a log: hashes of one level, or entries (C2SP tlog-tiles). */
export type Tile = {
  /** At level 0 there are hashes of leaves. */
  readonly level: number | 'entries'
  /** The number of the tile in its level. */
  readonly index: number
  /** The number of hashes or entries, from 1 to 256. */
  readonly width: number
}

/** The path of a tile below the prefix of the log. Throws a RangeError if there is no such tile. */
export function tilePath({ level, index, width }: Tile): string {
  const groups = `${index}`.padStart(3 * Math.ceil(`${index}`.length / 3), '0').match(/\d{3}/g) ?? []
  const name = groups.map((group, at) => (at === groups.length - 1 ? group : `x${group}`)).join('/')
  const path = `tile/${level}/${name}${width === tileWidth ? '' : `.p/${width}`}`
  return readable(path, readTilePath)
}

/** Reads a path in its one form. */
export function readTilePath(path: string): Reading<Tile> {
  return reading(() => {
    const form = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d{1,3}))?$/
    const [, level, name, partial] = (path.length > pathCharactersMax ? null : form.exec(path)) ?? []
    if (name === undefined || name.startsWith('x000/')) throw new Malformed('this is no path of a tile')
    const tile: Tile = {
      level: level === 'entries' ? 'entries' : numberIn(level),
      index: numberIn(name.replaceAll(/[x/]/g, '').replace(/^0{1,2}(?=\d)/, '')),
      width: partial === undefined ? tileWidth : numberIn(partial),
    }
    const isNarrow = partial === undefined || (tile.width > 0 && tile.width < tileWidth)
    if (!isNarrow || Number(tile.level) > levelMax) throw new Malformed('there is no tile of this level or width')
    return tile
  })
}

/** The tile of a level as it is in a tree of this size; undefined if it is not there yet. */
export function tileAt({ level, index, size }: Omit<Tile, 'width'> & { readonly size: number }): Tile | undefined {
  const width = Math.min(tileWidth, hashesAt(level, size) - index * tileWidth)
  return width > 0 ? { level, index, width } : undefined
}

/**
 * The tiles that a log publishes when it has grown: the full ones that were not full before, and the partial ones of
 * the new size. Bundles of entries come first, then the levels from the bottom up.
 */
export function* tilesOfGrowth({ from, to }: { readonly from: number; readonly to: number }): Generator<Tile, void> {
  for (const level of ['entries', 0, 1, 2, 3, 4, 5, 6] as const) {
    const [before, after] = [hashesAt(level, from), hashesAt(level, to)]
    if (before === after) return
    for (let index = Math.floor(before / tileWidth); index * tileWidth < after; index += 1) {
      yield { level, index, width: Math.min(tileWidth, after - index * tileWidth) }
    }
  }
}

/** Where the hash of a complete subtree comes from in a tree of this size. */
export function tileOf({ level, index }: TreeNode, { size }: { readonly size: number }): Tile {
  const tileLevel = Math.floor(level / tileLevels)
  const first = index * 2 ** (level % tileLevels)
  const tile = tileAt({ level: tileLevel, index: Math.floor(first / tileWidth), size })
  if (tile === undefined || (index + 1) * 2 ** level > size)
    throw new RangeError('this subtree is not complete in a tree of this size')
  return tile
}

/** Gives the hashes of a tree of this size from its tiles, each of which is `width` hashes of 32 bytes. Throws a RangeError for another length. */
export function hashesFrom(bytesOf: (tile: Tile) => Uint8Array, { size }: { readonly size: number }): HashOf {
  return (node) => {
    const height = node.level % tileLevels
    const first = (node.index * 2 ** height) % tileWidth
    const tile = tileOf(node, { size })
    const bytes = bytesOf(tile)
    if (bytes.length !== tile.width * hashBytes) throw new RangeError('a tile has another number of hashes')
    return rootOver(bytes.subarray(first * hashBytes, (first + 2 ** height) * hashBytes))
  }
}

/** The hash that stands for a full tile in the tile above it, or the root over a power of two of hashes. */
export function rootOver(hashes: Uint8Array): Uint8Array {
  if (hashes.length === hashBytes) return hashes
  const middle = hashes.length / 2
  return nodeHash(rootOver(hashes.subarray(0, middle)), rootOver(hashes.subarray(middle)))
}

/**
 * The tiles that a proof needs, each once. `ask` makes the proof from hashes that are all zero: which it asks for does
 * not depend on them.
 */
export function tilesFor(ask: (hashOf: HashOf) => unknown, { size }: { readonly size: number }): readonly Tile[] {
  const tiles = new Map<string, Tile>()
  ask((node) => {
    const tile = tileOf(node, { size })
    tiles.set(tilePath(tile), tile)
    return new Uint8Array(hashBytes)
  })
  return [...tiles.values()]
}

/** Makes a proof, or something else from the hashes of a tree, with tiles that have to be waited for. */
export async function madeFromTiles<Made>(
  make: (hashOf: HashOf) => Made,
  { size, bytesOf }: { readonly size: number; readonly bytesOf: (tile: Tile) => Promise<Uint8Array> },
): Promise<Made> {
  const bytes = new Map<string, Uint8Array>()
  for (const tile of tilesFor(make, { size })) bytes.set(tilePath(tile), await bytesOf(tile))
  return make(hashesFrom((tile) => bytes.get(tilePath(tile)) ?? new Uint8Array(), { size }))
}

/** Reads a bundle: each entry behind its length in two bytes, and as many as the tile is wide. */
export function readEntries(bytes: Uint8Array, { width }: { readonly width: number }): Reading<readonly Uint8Array[]> {
  return reading(() => {
    const entries = inner(readEntriesUpTo(bytes, { widthMax: width }))
    if (entries.length < width) throw new Malformed(`there are fewer than ${width} entries`)
    return entries
  })
}

/** Reads a bundle that may not be whole yet. */
export function readEntriesUpTo(
  bytes: Uint8Array,
  { widthMax }: { readonly widthMax: number },
): Reading<readonly Uint8Array[]> {
  return reading(() => {
    const entries: Uint8Array[] = []
    for (let next = 0; next < bytes.length; ) {
      const start = next + 2
      next = start + (bytes[next] ?? 0) * 256 + (bytes[next + 1] ?? 0)
      if (next > bytes.length) throw new Malformed('the bundle ends early')
      if (entries.length === widthMax) throw new Malformed(`there are more than ${widthMax} entries`)
      entries.push(bytes.subarray(start, next))
    }
    return entries
  })
}

/** Throws a RangeError for an entry of more than 65,535 bytes. */
export function writeEntries(entries: readonly Uint8Array[]): Uint8Array {
  return concatBytes(
    ...entries.map((entry) => {
      if (entry.length > entryBytesMax) throw new RangeError(`an entry has ${entryBytesMax} bytes at most`)
      return concatBytes(Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry)
    }),
  )
}

function hashesAt(level: number | 'entries', size: number): number {
  if (!Number.isInteger(size) || size < 0 || size > treeSizeMax) throw new RangeError('a tree has no such size')
  return level === 'entries' ? size : Math.floor(size / tileWidth ** level)
}
