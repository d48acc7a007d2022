import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ecdsaSignatureFromDer } from '../../../src/protocol/crypto/der.ts'
import { derOfSignature, rawOfDer } from './der.ts'

test('the server reads the DER form of any signature back to the same 64 bytes', () => {
  const part = fc.oneof(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.constant(new Uint8Array(32).fill(0xff)))
  fc.assert(
    fc.property(part, part, fc.nat(31), (r, s, zeros) => {
      const signature = Uint8Array.of(...new Uint8Array(zeros), ...r.subarray(zeros, 31), 1, ...s.subarray(0, 31), 1)
      const der = derOfSignature(signature)
      expect(Buffer.from(ecdsaSignatureFromDer(der) ?? [])).toEqual(Buffer.from(signature))
      expect(Buffer.from(rawOfDer(der))).toEqual(Buffer.from(signature))
    }),
  )
})

test('bytes that are no signature are refused, or are read to 64 bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      try {
        expect(rawOfDer(bytes)).toHaveLength(64)
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }),
  )
  expect(() => rawOfDer(Uint8Array.of(0x30, 0))).toThrow(RangeError)
})
