import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToNumberBE } from '@noble/curves/utils.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomBytes } from '../../../test/support/p256_pairs.ts'
import { rebuiltFrom, subsets, verifyShare } from '../../../test/support/shares.ts'
import { randomScalar, splitSecret } from './feldman.ts'
import { SecretBytes } from './secret_bytes.ts'

const { Fn } = secp256k1.Point
const sizes = fc
  .integer({ min: 1, max: 6 })
  .chain((sharesCount) =>
    fc.record({ sharesCount: fc.constant(sharesCount), threshold: fc.integer({ min: 1, max: sharesCount }) }),
  )
const scalars = fc.bigInt({ min: 1n, max: Fn.ORDER - 1n })

function split(secretNumber: bigint, sizes: { readonly threshold: number; readonly sharesCount: number }) {
  using secret = new SecretBytes(Fn.toBytes(secretNumber))
  using parts = splitSecret({ secret, ...sizes, randomBytes })
  expect(bytesToNumberBE(secret.reveal())).toBe(secretNumber)
  return { shares: parts.shares.map((share) => bytesToNumberBE(share.reveal())), proofs: parts.proofs }
}

test('every share is on the polynomial whose coefficients are proved, and the secret is its constant term', () => {
  fc.assert(
    fc.property(scalars, sizes, (secret, size) => {
      const { shares, proofs } = split(secret, size)
      expect(shares).toHaveLength(size.sharesCount)
      expect(proofs).toHaveLength(size.threshold)
      expect(proofs[0]).toEqual(secp256k1.getPublicKey(Fn.toBytes(secret)))
      for (const [position, share] of shares.entries()) {
        expect(verifyShare({ index: position + 1, share, proofs })).toBe(true)
        expect(verifyShare({ index: position + 2, share, proofs })).toBe(size.threshold === 1)
        expect(verifyShare({ index: position + 1, share: Fn.add(share, 1n), proofs })).toBe(false)
      }
    }),
    // The share of the order - 1 becomes zero when one is added, which noble multiplies no point by.
    { numRuns: 20, examples: [[Fn.ORDER - 1n, { sharesCount: 1, threshold: 1 }]] },
  )
})

test('any threshold of the shares gives the secret back, fewer do not', () => {
  fc.assert(
    fc.property(scalars, sizes, (secret, size) => {
      const { shares } = split(secret, size)
      const points = shares.map((share, position) => ({ index: position + 1, share }))
      for (const subset of subsets(points, size.threshold)) expect(rebuiltFrom(subset)).toBe(secret)
      for (const subset of subsets(points, size.threshold - 1)) expect(rebuiltFrom(subset)).not.toBe(secret)
    }),
    { numRuns: 60 },
  )
})

describe('the arithmetic is that of the field', () => {
  test('at its edge', () => {
    // One coefficient beside the secret, the order - 1: a share is the secret minus its index.
    const largest = Fn.toBytes(Fn.ORDER - 1n)
    using secret = new SecretBytes(Fn.toBytes(Fn.ORDER - 1n))
    using parts = splitSecret({ secret, threshold: 2, sharesCount: 5, randomBytes: () => largest.slice() })
    expect(parts.shares.map((share) => bytesToNumberBE(share.reveal()))).toEqual(
      [1n, 2n, 3n, 4n, 5n].map((index) => Fn.ORDER - 1n - index),
    )
  })

  test('for many shares and a high threshold', () => {
    const coefficients = Array.from({ length: 20 }, (_, power) => BigInt(power + 2) ** 40n)
    using secret = new SecretBytes(Fn.toBytes(coefficients[0] ?? 0n))
    let drawn = 0
    using parts = splitSecret({
      secret,
      threshold: coefficients.length,
      sharesCount: 64,
      randomBytes: () => Fn.toBytes(coefficients[++drawn] ?? 0n),
    })
    for (const [position, share] of parts.shares.entries()) {
      const x = BigInt(position + 1)
      const value = coefficients.reduce(
        (sum, coefficient, power) => Fn.create(sum + coefficient * x ** BigInt(power)),
        0n,
      )
      expect(bytesToNumberBE(share.reveal())).toBe(value)
    }
  })
})

test('shares and random numbers are zeroed at the end', () => {
  const drawn = new Uint8Array(32).fill(1)
  using secret = new SecretBytes(new Uint8Array(32).fill(2))
  const parts = splitSecret({ secret, threshold: 2, sharesCount: 2, randomBytes: () => drawn })
  expect(drawn).toEqual(new Uint8Array(32))
  parts[Symbol.dispose]()
  for (const share of parts.shares) expect(share.reveal()).toEqual(new Uint8Array(32))
})

test('a number that is no scalar is drawn again', () => {
  const draws = [new Uint8Array(32), new Uint8Array(32).fill(0xff), Fn.toBytes(Fn.ORDER), Fn.toBytes(7n)]
  using scalar = randomScalar(() => draws.shift() ?? new Uint8Array(32))
  expect(scalar.reveal()).toEqual(Fn.toBytes(7n))
})

test.each([
  [0, 3],
  [4, 3],
  [1.5, 3],
])('a threshold of %d for %d shares is a bug of the caller', (threshold, sharesCount) => {
  using secret = new SecretBytes(new Uint8Array(32).fill(2))
  expect(() => splitSecret({ secret, threshold, sharesCount, randomBytes })).toThrow('threshold')
})
