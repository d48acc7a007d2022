import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { curves, firstPrivateKey, isPrivateKey, publicKeyOf, tweakPrivateKey, uncompressedOf } from './curves.ts'
import { SecretBytes } from './secret_bytes.ts'

const noble = { CURVE_SECP256K1: secp256k1, CURVE_P256: p256 } as const
const weierstrassCurves = ['CURVE_SECP256K1', 'CURVE_P256'] as const
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })

describe.each(weierstrassCurves)('%s', (curve) => {
  const order = noble[curve].Point.Fn.ORDER
  const bytesOf = (value: bigint) => numberToBytesBE(value, 32)
  const scalar = fc.bigInt({ min: 1n, max: order - 1n })

  test.each([
    ['zero', bytesOf(0n), false],
    ['one', bytesOf(1n), true],
    ['the order - 1', bytesOf(order - 1n), true],
    ['the order', bytesOf(order), false],
    ['the order + 1', bytesOf(order + 1n), false],
    ['2^256 - 1', new Uint8Array(32).fill(0xff), false],
    ['31 bytes', new Uint8Array(31).fill(1), false],
    ['33 bytes', new Uint8Array(33).fill(1), false],
    ['no bytes', new Uint8Array(), false],
  ])('%s is a private key: %#', (_, bytes, expected) => {
    expect(isPrivateKey(curve, bytes)).toBe(expected)
    if (!expected) expect(() => publicKeyOf(curve, bytes)).toThrow(RangeError)
  })

  test('32 bytes are a private key exactly when noble says so', () => {
    fc.assert(
      fc.property(bytes32, (bytes) => {
        expect(isPrivateKey(curve, bytes)).toBe(noble[curve].utils.isValidSecretKey(bytes))
      }),
    )
  })

  test('a public key is the 33 bytes that noble computes, uncompressed its 65', () => {
    fc.assert(
      fc.property(scalar, (value) => {
        const publicKey = publicKeyOf(curve, bytesOf(value))
        expect(publicKey).toEqual(noble[curve].getPublicKey(bytesOf(value), true))
        expect(uncompressedOf(curve, publicKey)).toEqual(noble[curve].getPublicKey(bytesOf(value), false))
      }),
    )
  })

  test('a tweak is a sum modulo the order', () => {
    fc.assert(
      fc.property(scalar, scalar, (left, right) => {
        const sum = (left + right) % order
        const tweaked = tweakPrivateKey(curve, { privateKey: bytesOf(left), tweak: bytesOf(right) })
        expect(tweaked && bytesToNumberBE(tweaked)).toBe(sum === 0n ? undefined : sum)
      }),
    )
  })

  test.each([
    ['by zero changes nothing', 5n, 0n, 5n],
    ['to the order - 1 stays below it', order - 2n, 1n, order - 1n],
    ['to the order is no key', order - 1n, 1n, undefined],
    ['to the order + 1 is one', order - 1n, 2n, 1n],
    ['of the greatest keys carries out of 256 bits', order - 1n, order - 1n, order - 2n],
    ['by the order is no key', 5n, order, undefined],
    ['by 2^256 - 1 is no key', 5n, 2n ** 256n - 1n, undefined],
  ])('a tweak %s', (_, left, right, expected) => {
    const privateKey = bytesOf(left)
    const tweaked = tweakPrivateKey(curve, { privateKey, tweak: bytesOf(right) })
    expect(tweaked && bytesToNumberBE(tweaked)).toBe(expected)
    expect(privateKey, 'the key that was given is not changed').toEqual(bytesOf(left))
  })

  test('33 bytes that are no point cannot be uncompressed', () => {
    expect(() => uncompressedOf(curve, new Uint8Array(33).fill(2, 0, 1).fill(0xff, 1))).toThrow()
  })
})

test('on Ed25519 any 32 bytes are a private key, with the 32-byte public key that noble computes', () => {
  fc.assert(
    fc.property(bytes32, (bytes) => {
      expect(isPrivateKey('CURVE_ED25519', bytes)).toBe(true)
      expect(publicKeyOf('CURVE_ED25519', bytes)).toEqual(ed25519.getPublicKey(bytes))
    }),
  )
})

test('RFC 8032, 7.1, test 1', () => {
  const privateKey = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex')
  const publicKey = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'
  expect(Buffer.from(publicKeyOf('CURVE_ED25519', privateKey)).toString('hex')).toBe(publicKey)
})

test('a public key is a plain array, on every curve', () => {
  for (const curve of curves) {
    expect(publicKeyOf(curve, new Uint8Array(32).fill(7)).constructor).toBe(Uint8Array)
  }
})

test.each(weierstrassCurves)('%s: the first candidate that is a private key; those before it are zeroed', (curve) => {
  const candidates = [new Uint8Array(32), new Uint8Array(32).fill(0xff), new Uint8Array(32).fill(5)]
  const asked: number[] = []
  using found = firstPrivateKey(curve, (counter) => {
    asked.push(counter)
    return new SecretBytes(candidates[counter] ?? new Uint8Array(32))
  })
  expect(asked).toEqual([0, 1, 2])
  expect(found.reveal()).toEqual(new Uint8Array(32).fill(5))
  expect(candidates[1]).toEqual(new Uint8Array(32))
})
