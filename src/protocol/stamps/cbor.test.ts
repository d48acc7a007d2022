import { encode } from 'cborg'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cborByteString, cborMap, firstCborItem } from './cbor.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

describe('the examples of RFC 8949, appendix A', () => {
  test.each([
    ['00', 0],
    ['17', 23],
    ['1818', 24],
    ['1903e8', 1_000],
    ['1a000f4240', 1_000_000],
    ['20', -1],
    ['3903e7', -1_000],
    ['f4', false],
    ['f6', null],
    ['fb3ff199999999999a', 1.1],
    ['6449455446', 'IETF'],
    ['62c3bc', 'ü'],
    ['83010203', [1, 2, 3]],
    ['4401020304', Uint8Array.of(1, 2, 3, 4)],
    [
      'a201020304',
      new Map([
        [1, 2],
        [3, 4],
      ]),
    ],
  ])('%s', (text, value) => {
    const found = firstCborItem(Buffer.concat([hex(text), hex('00')]))
    expect(found?.length).toBe(text.length / 2)
    if (value instanceof Uint8Array) expect(Buffer.from(value).equals(hex(text).subarray(1))).toBe(true)
    else expect(found?.value).toEqual(value)
  })
})

describe('CBOR that is not canonical is refused', () => {
  test.each([
    ['nothing', ''],
    ['a number in a longer form', '1817'],
    ['a length in a longer form', '580100'],
    ['a length in the longest form', '5b0000000000000001 00'],
    ['bytes of unknown length', '5f 4101 ff'],
    ['a list of unknown length', '9f 01 ff'],
    ['a map of unknown length', 'bf 01 02 ff'],
    ['a break alone', 'ff'],
    ['undefined', 'f7'],
    ['infinity', 'f97c00'],
    ['not a number', 'f97e00'],
    ['an integer that is none in JavaScript', '1bffffffffffffffff'],
    ['a tag', 'c1 1a514b67b0'],
    ['a key twice', 'a2 01 02 01 03'],
    ['a key twice, further inside', 'a1 01 a2 6161 02 6161 03'],
    ['fewer bytes than it says', '4402 03'],
    ['four thousand million entries, and none there', '9affffffff'],
    ['a map without its last value', 'a2 01 02 03'],
    ['a reserved kind of length', '1c'],
  ])('%s', (_name, text) => {
    expect(firstCborItem(hex(text))).toBeUndefined()
  })

  test('lists deeper than the stack', () => {
    expect(firstCborItem(new Uint8Array(24_576).fill(0x81))).toBeUndefined()
    expect(firstCborItem(Buffer.concat([Buffer.alloc(24_576, 0x81), hex('00')]))?.length ?? 24_577).toBe(24_577)
  })
})

test('a map must fill its bytes', () => {
  expect(cborMap(hex('a1 01 02'))).toEqual(new Map([[1, 2]]))
  expect(cborMap(hex('a0'))?.size).toBe(0)
  for (const other of ['a1 01 02 00', '80', '01', '41a0', '', 'a1 01']) expect(cborMap(hex(other))).toBeUndefined()
})

test('a byte string has its length in the shortest form', () => {
  for (const [bytes, head] of [
    [Buffer.alloc(23, 1), '57'],
    [Buffer.alloc(24, 1), '5818'],
    [Buffer.alloc(256, 1), '590100'],
  ] as const) {
    expect(Buffer.from(cborByteString(bytes))).toEqual(Buffer.concat([hex(head), bytes]))
  }
})

test('the output of the encoder is read, and arbitrary bytes throw nothing', () => {
  const bytes = fc.uint8Array({ maxLength: 300 })
  fc.assert(
    fc.property(bytes, bytes, fc.integer(), (value, behind, key) => {
      const map = encode(new Map([[key, value]]))
      const found = firstCborItem(Buffer.concat([map, behind]))
      expect(found?.length).toBe(map.length)
      expect(found?.value).toEqual(new Map([[key, value]]))
      firstCborItem(behind)
    }),
  )
})
