import fc from 'fast-check'
import { expect, test } from 'vitest'
import { base64urlOf, bytesFromBase64url } from './base64url.ts'

test('the examples of RFC 4648, 10', () => {
  for (const [text, encoded] of [
    ['f', 'Zg'],
    ['fo', 'Zm8'],
    ['foo', 'Zm9v'],
    ['foobar', 'Zm9vYmFy'],
  ] as const) {
    expect(base64urlOf(Buffer.from(text))).toBe(encoded)
    for (const form of [encoded, encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=')]) {
      expect(bytesFromBase64url(form)).toEqual(Buffer.from(text))
    }
  }
})

test('both alphabets are read, one is written', () => {
  const bytes = Buffer.from([0xfb, 0xff, 0xbf])
  expect([bytesFromBase64url('-_-_'), bytesFromBase64url('+/+/')]).toEqual([bytes, bytes])
  expect(base64urlOf(bytes)).toBe('-_-_')
})

test.each(['', '=', '==', 'Zg===', 'Z', 'Zm9vY', 'Zg=a', ' Zg', 'Zg\n', 'Z g', 'Zé', 'Zm9v*'])(
  '%j is no base64url',
  (text) => {
    expect(bytesFromBase64url(text)).toBeUndefined()
  },
)

test('written text is read back, also from the middle of a buffer', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
      expect(bytesFromBase64url(base64urlOf(bytes))).toEqual(Buffer.from(bytes))
      expect(base64urlOf(Uint8Array.of(1, ...bytes).subarray(1))).toBe(base64urlOf(bytes))
    }),
  )
})

test('arbitrary text throws nothing', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void bytesFromBase64url(text)))
})
