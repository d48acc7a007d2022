import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keccak256 } from './keccak.ts'

test('is what another library computes, for texts around the length of a block', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(keccak256(bytes)).toEqual(keccak_256(bytes))
    }),
  )
  for (const length of [0, 135, 136, 137, 100_000]) {
    const bytes = new Uint8Array(length).fill(7)
    expect(keccak256(bytes)).toEqual(keccak_256(bytes))
  }
})
