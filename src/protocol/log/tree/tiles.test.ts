import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  hashesFrom,
  readEntries,
  readTilePath,
  rootOver,
  type Tile,
  tileAt,
  tileOf,
  tilePath,
  tilesFor,
  tilesOfGrowth,
  tileWidth,
  writeEntries,
} from './tiles.ts'
import { emptyFrontier, emptyRoot, grown, leafHash, rootOf } from './tree.ts'
import { consistencyProof, continues, includes, inclusionProof } from './tree_proofs.ts'

describe('paths', () => {
  const tiles = fc.record<Tile>({
    level: fc.oneof(fc.constant('entries' as const), fc.nat(63)),
    index: fc.oneof(fc.nat(2_000), fc.maxSafeNat()),
    width: fc.integer({ min: 1, max: tileWidth }),
  })

  test.each<[Tile, string]>([
    [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
    [{ level: 'entries', index: 0, width: 1 }, 'tile/entries/000.p/1'],
    [{ level: 1, index: 67, width: 255 }, 'tile/1/067.p/255'],
    [{ level: 0, index: 999, width: 256 }, 'tile/0/999'],
    [{ level: 0, index: 1_000, width: 256 }, 'tile/0/x001/000'],
    [{ level: 63, index: 1_234_067, width: 256 }, 'tile/63/x001/x234/067'],
    [{ level: 'entries', index: 1_000_000, width: 256 }, 'tile/entries/x001/x000/000'],
    [{ level: 2, index: 2 ** 53 - 1, width: 8 }, 'tile/2/x009/x007/x199/x254/x740/991.p/8'],
  ])('%o is %s', (tile, path) => {
    expect(tilePath(tile)).toBe(path)
    expect(readTilePath(path)).toEqual({ kind: 'read', value: tile })
  })

  test('what is written is read', () => {
    fc.assert(
      fc.property(tiles, (tile) => {
        expect(readTilePath(tilePath(tile))).toEqual({ kind: 'read', value: tile })
      }),
    )
  })

  test('arbitrary texts throw nothing, and are written again if they are read', () => {
    const damaged = fc
      .tuple(tiles, fc.nat(), fc.constantFrom('x', '0', '9', '/', '.p/', ''))
      .map(([tile, at, part]) => {
        const path = tilePath(tile)
        return path.slice(0, at % path.length) + part + path.slice((at % path.length) + 1)
      })
    fc.assert(
      fc.property(fc.oneof(fc.string(), damaged), (path) => {
        const found = readTilePath(path)
        if (found.kind === 'read') expect(tilePath(found.value)).toBe(path)
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    '',
    'checkpoint',
    'tile/0',
    'tile/0/',
    'tile/0/0',
    'tile/0/00',
    'tile/0/0000',
    'tile/0/x000/067',
    'tile/0/001/000',
    'tile/0/x001',
    'tile/0/x001/x000',
    'tile/00/000',
    'tile/64/000',
    'tile/-1/000',
    'tile/entry/000',
    'tile/0/000.p/0',
    'tile/0/000.p/01',
    'tile/0/000.p/256',
    'tile/0/000.p/',
    'tile/0/000.p',
    '/tile/0/000',
    'tile/0/000\n',
    'tile/0/x009/x007/x199/x254/x740/992',
    `tile/0/${'x111/'.repeat(100)}111`,
  ])('%j is none', (path) => {
    expect(readTilePath(path)).toMatchObject({ kind: 'malformed' })
  })

  test('there is no path of a tile that cannot be', () => {
    for (const change of [
      { width: 0 },
      { width: 257 },
      { index: -1 },
      { index: 0.5 },
      { index: 2 ** 53 },
      { level: 64 },
    ]) {
      expect(() => tilePath({ level: 0, index: 0, width: 1, ...change })).toThrow(RangeError)
    }
  })
})

describe('the tiles of a tree', () => {
  const countOf = (size: number, level: number) => {
    const all = [...tilesOfGrowth({ from: 0, to: size })].filter((tile) => tile.level === level)
    return { full: all.filter(({ width }) => width === tileWidth).length, partial: all.at(-1)?.width ?? 0 }
  }

  test('of 70,000 and of 256 leaves are those of the specification', () => {
    expect([0, 1, 2, 3].map((level) => countOf(70_000, level))).toEqual([
      { full: 273, partial: 112 },
      { full: 1, partial: 17 },
      { full: 0, partial: 1 },
      { full: 0, partial: 0 },
    ])
    expect([0, 1, 2].map((level) => countOf(256, level))).toEqual([
      { full: 1, partial: 256 },
      { full: 0, partial: 1 },
      { full: 0, partial: 0 },
    ])
  })

  test('are published when they change, and every one that a size needs was', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(70_000), { minLength: 1, maxLength: 6 }), (numbers) => {
        const sizes = numbers.toSorted((one, other) => one - other)
        const published = new Set<string>()
        for (const [at, to] of sizes.entries()) {
          const from = sizes[at - 1] ?? 0
          for (const tile of tilesOfGrowth({ from, to })) {
            expect(published.has(tilePath(tile))).toBe(false)
            published.add(tilePath(tile))
          }
        }
        const size = sizes.at(-1) ?? 0
        for (const tile of tilesOfGrowth({ from: 0, to: size })) {
          expect(tileAt({ ...tile, size })).toEqual(tile)
          expect(published.has(tilePath(tile))).toBe(true)
        }
      }),
      { numRuns: 30 },
    )
  })

  test('there is none before it has a hash, and none of a size that cannot be', () => {
    expect(tileAt({ level: 0, index: 0, size: 0 })).toBeUndefined()
    expect(tileAt({ level: 1, index: 0, size: 255 })).toBeUndefined()
    expect(tileAt({ level: 1, index: 0, size: 256 })).toEqual({ level: 1, index: 0, width: 1 })
    expect(() => tileOf({ level: 8, index: 1 }, { size: 300 })).toThrow(RangeError)
    expect(() => tileOf({ level: 1, index: 1 }, { size: 3 })).toThrow(RangeError)
    expect(() => tileAt({ level: 0, index: 0, size: -1 })).toThrow(RangeError)
  })
})

describe('proofs from tiles', () => {
  const size = 70_000
  const leaves: Uint8Array[] = []
  const roots = [emptyRoot]
  let frontier = emptyFrontier
  for (let index = 0; index < size; index += 1) {
    const leaf = leafHash(Uint8Array.of(index >> 16, index >> 8, index))
    leaves.push(leaf)
    frontier = grown(frontier, leaf)
    roots.push(rootOf(frontier))
  }
  /** The hashes of each level, of which tiles are parts. */
  const levels = [leaves]
  for (let below = leaves; below.length >= tileWidth; ) {
    const above = Array.from({ length: Math.floor(below.length / tileWidth) }, (_, at) =>
      rootOver(Buffer.concat(below.slice(at * tileWidth, (at + 1) * tileWidth))),
    )
    levels.push(above)
    below = above
  }
  const bytesOf = ({ level, index, width }: Tile) =>
    Buffer.concat(levels[Number(level)]?.slice(index * tileWidth, index * tileWidth + width) ?? [])

  test('verify, and need the tiles that were named', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: size }), fc.nat(), (to, number) => {
        const index = number % to
        const from = number % (to + 1)
        const root = roots[to] ?? emptyRoot
        const asked = new Set<string>()
        const askedFor = (tile: Tile) => {
          asked.add(tilePath(tile))
          return bytesOf(tile)
        }
        const hashOf = hashesFrom(askedFor, { size: to })
        const proof = inclusionProof({ index, size: to }, hashOf)
        expect(includes({ index, size: to, leaf: leaves[index] ?? emptyRoot, proof, root })).toBe(true)
        const needed = tilesFor((hash) => inclusionProof({ index, size: to }, hash), { size: to })
        expect(new Set(needed.map(tilePath))).toEqual(asked)
        const growth = { from, to, fromRoot: roots[from] ?? emptyRoot, toRoot: root }
        expect(continues({ ...growth, proof: consistencyProof({ from, to }, hashOf) })).toBe(true)
      }),
    )
  })

  test('are refused from a tile that is cut', () => {
    const hashOf = hashesFrom((tile) => bytesOf(tile).subarray(0, -1), { size })
    expect(() => inclusionProof({ index: 5, size }, hashOf)).toThrow(RangeError)
  })
})

describe('bundles of entries', () => {
  const bundles = fc.array(fc.uint8Array({ maxLength: 300, size: 'max' }), { minLength: 1, maxLength: 10 })

  test('what is written is read', () => {
    fc.assert(
      fc.property(bundles, (entries) => {
        const bytes = writeEntries(entries)
        expect(readEntries(bytes, { width: entries.length })).toEqual({ kind: 'read', value: entries })
        expect(readEntries(bytes, { width: entries.length + 1 }).kind).toBe('malformed')
        expect(readEntries(bytes, { width: entries.length - 1 }).kind).toBe('malformed')
      }),
    )
  })

  test('arbitrary bytes throw nothing, and are written again if they are read', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40, max: 3 }), fc.nat(20), (bytes, width) => {
        const found = readEntries(bytes, { width })
        if (found.kind === 'read') expect(Buffer.from(writeEntries(found.value))).toEqual(Buffer.from(bytes))
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    ['half a length', '00'],
    ['a length alone', '0001'],
    ['an entry that is cut', '0002aa'],
    ['bytes behind the entries', '0001aa00'],
    ['one entry too many', '0001aa0001bb'],
    ['nothing', ''],
  ])('%s is none', (_name, hex) => {
    expect(readEntries(Buffer.from(hex, 'hex'), { width: 1 }).kind).toBe('malformed')
  })

  test('the longest entry is written, and no longer one', () => {
    const longest = new Uint8Array(65_535)
    expect(readEntries(writeEntries([longest]), { width: 1 })).toEqual({ kind: 'read', value: [longest] })
    expect(() => writeEntries([new Uint8Array(65_536)])).toThrow(RangeError)
  })
})
