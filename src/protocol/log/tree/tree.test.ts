import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { RFC9162 } from '@transmute/rfc9162'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { emptyFrontier, emptyRoot, type Frontier, grown, leafHash, nodeHash, rootOf, treeSizeMax } from './tree.ts'

const frontierOf = (entries: readonly Uint8Array[]): Frontier =>
  entries.reduce((frontier, entry) => grown(frontier, leafHash(entry)), emptyFrontier)

/** The leaves and roots with which Certificate Transparency and its successors are tested. */
const published = [
  ['', '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
  ['00', 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
  ['10', 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
  ['2021', 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7'],
  ['3031', '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4'],
  ['40414243', '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef'],
  ['5051525354555657', 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
  ['606162636465666768696a6b6c6d6e6f', '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
] as const

describe('the published roots', () => {
  test('of the tree without leaves', () => {
    expect(bytesToHex(emptyRoot)).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(rootOf(emptyFrontier)).toBe(emptyRoot)
  })

  test.each(published.map(([, root], at) => [at + 1, root] as const))('of %i leaves', (size, root) => {
    const entries = published.slice(0, size).map(([leaf]) => hexToBytes(leaf))
    expect(bytesToHex(rootOf(frontierOf(entries)))).toBe(root)
  })
})

test('roots agree with another implementation', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 70 }), async (entries) => {
      expect(bytesToHex(rootOf(frontierOf(entries)))).toBe(bytesToHex(await RFC9162.treeHead(entries)))
    }),
    { numRuns: 30 },
  )
})

test('a frontier has a hash for each one in the number of leaves', () => {
  let frontier = emptyFrontier
  for (let size = 1; size <= 300; size += 1) {
    frontier = grown(frontier, leafHash(Uint8Array.of(size % 256)))
    expect(frontier.size).toBe(size)
    expect(frontier.hashes).toHaveLength(size.toString(2).replaceAll('0', '').length)
  }
})

test('a tree of 2^52 - 1 leaves becomes one complete subtree', () => {
  const hashes = Array.from({ length: 52 }, (_, at) => leafHash(Uint8Array.of(at)))
  const after = grown({ size: 2 ** 52 - 1, hashes }, emptyRoot)
  expect(after).toEqual({
    size: 2 ** 52,
    hashes: [hashes.reduceRight((right, left) => nodeHash(left, right), emptyRoot)],
  })
})

test('a tree that is full takes no more leaves', () => {
  expect(() => grown({ size: treeSizeMax, hashes: [] }, emptyRoot)).toThrow(RangeError)
})
