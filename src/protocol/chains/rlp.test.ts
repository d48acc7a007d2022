import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { encodeRlp as ethersEncode } from 'ethers'
import fc from 'fast-check'
import { toRlp } from 'viem'
import { describe, expect, test } from 'vitest'
import { decodeRlp, encodeRlp, integerBytes, type RlpItem, rlpDepthMax, rlpItemsMax } from './rlp.ts'

type HexItem = `0x${string}` | HexItem[]

const item = fc.letrec<{ item: RlpItem; bytes: RlpItem; list: RlpItem }>((tie) => ({
  item: fc.oneof({ maxDepth: 4, depthIdentifier: 'rlp' }, tie('bytes'), tie('list')),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 3 }),
    fc.uint8Array({ minLength: 54, maxLength: 58 }),
    fc.uint8Array({ minLength: 250, maxLength: 260, size: 'max' }),
  ),
  list: fc.array(tie('item'), { maxLength: 5, depthIdentifier: 'rlp' }),
})).item

function toHex(value: RlpItem): HexItem {
  return value instanceof Uint8Array ? `0x${bytesToHex(value)}` : value.map(toHex)
}

function decode(hex: string) {
  return decodeRlp(hexToBytes(hex))
}

describe('encodeRlp', () => {
  test('agrees with viem and ethers, and decodes to the same item', () => {
    fc.assert(
      fc.property(item, (value) => {
        const encoded = encodeRlp(value)
        expect(`0x${bytesToHex(encoded)}`).toBe(toRlp(toHex(value)))
        expect(`0x${bytesToHex(encoded)}`).toBe(ethersEncode(toHex(value)))
        expect(decodeRlp(encoded)).toEqual({ kind: 'decoded', item: value })
      }),
      { numRuns: 500 },
    )
  })

  test('writes a length of more than two bytes', () => {
    const value = new Uint8Array(70_000).fill(1)
    expect(`0x${bytesToHex(encodeRlp(value))}`).toBe(toRlp(value, 'hex'))
    expect(decodeRlp(encodeRlp(value))).toEqual({ kind: 'decoded', item: value })
  })
})

test('as many items as a request can need are encoded and decoded, and many more are refused', () => {
  const value = Array.from({ length: rlpItemsMax - 1 }, () => Uint8Array.of(1))
  expect(decodeRlp(encodeRlp(value))).toEqual({ kind: 'decoded', item: value })
  const many = encodeRlp(Array.from({ length: 300_000 }, () => Uint8Array.of(1)))
  expect(decodeRlp(many)).toMatchObject({ kind: 'malformed', reason: 'there are more than 70000 RLP items' })
})

describe('decodeRlp', () => {
  test('never throws, and what it accepts encodes to the same bytes', () => {
    const nearlyValid = fc
      .tuple(item, fc.nat(), fc.integer({ min: 0, max: 255 }))
      .map(([value, at, byte]) =>
        encodeRlp(value).map((old, index, { length }) => (index === at % length ? byte : old)),
      )
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 100 }), nearlyValid), (bytes) => {
        const decoded = decodeRlp(bytes)
        if (decoded.kind === 'decoded') expect(encodeRlp(decoded.item)).toEqual(bytes)
      }),
      { numRuns: 3_000 },
    )
  })

  for (const [what, hex, reason] of [
    ['nothing', '', 'ends early'],
    ['a string that is cut', '83aabb', 'ends early'],
    ['a list that is cut', 'c301', 'ends early'],
    ['a length that is cut', 'b9ff', 'ends early'],
    ['a length of eight bytes', 'bfffffffffffffffff', 'ends early'],
    ['an item that leaves its list', 'c28201', 'ends early'],
    ['an item that leaves its list but not the input', 'c4c28201ff', 'ends early'],
    ['trailing bytes', '0102', 'follow'],
    ['a wrapped single byte', '817f', 'its own RLP encoding'],
    ['a long form for 55 bytes', `b837${'aa'.repeat(55)}`, 'long form'],
    ['a length with a leading zero', `b90038${'aa'.repeat(56)}`, 'leading zero'],
    ['a list length with a leading zero', `f90038${'01'.repeat(56)}`, 'leading zero'],
  ] as const) {
    test(`refuses ${what}`, () => {
      expect(decode(hex)).toEqual({ kind: 'malformed', reason: expect.stringContaining(reason) })
    })
  }

  test('accepts 0x80 wrapped and 56 bytes in the long form', () => {
    expect(decode('8180').kind).toBe('decoded')
    expect(decode(`b838${'aa'.repeat(56)}`).kind).toBe('decoded')
  })

  test(`accepts lists ${rlpDepthMax} deep and refuses one more`, () => {
    const nested = (depth: number): RlpItem => (depth === 0 ? new Uint8Array(0) : [nested(depth - 1)])
    expect(decodeRlp(encodeRlp(nested(rlpDepthMax))).kind).toBe('decoded')
    expect(decodeRlp(encodeRlp(nested(rlpDepthMax + 1))).kind).toBe('malformed')
  })

  test('refuses 100,000 opening lists without exhausting the stack', () => {
    expect(decodeRlp(concatBytes(new Uint8Array(100_000).fill(0xc1), Uint8Array.of(0xc0))).kind).toBe('malformed')
  })
})

test('an integer is written without leading zeros, zero as nothing', () => {
  for (const [value, hex] of [
    [0n, ''],
    [1n, '01'],
    [255n, 'ff'],
    [256n, '0100'],
    [2n ** 64n, '010000000000000000'],
  ] as const) {
    expect(bytesToHex(integerBytes(value))).toBe(hex)
  }
})
