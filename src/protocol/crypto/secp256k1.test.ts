import { createECDH } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isPublicKey,
  nativeSecp256k1,
  nobleSecp256k1,
  publicKeyFromPrivate,
  type Secp256k1,
  secp256k1Implementation,
  sharedPoint,
  signEcdsa,
  uncompressPublicKey,
  verifyEcdsa,
} from './secp256k1.ts'

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const native = nativeSecp256k1()
const implementations: readonly Secp256k1[] = native === undefined ? [nobleSecp256k1] : [native, nobleSecp256k1]

const word = (value: bigint) => new Uint8Array(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'))
const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const highS = (signature: Uint8Array) =>
  Uint8Array.from([...signature.subarray(0, 32), ...word(order - numberOf(signature.subarray(32)))])

const words = fc.uint8Array({ minLength: 32, maxLength: 32 })
const privateKeys = words.filter((bytes) => numberOf(bytes) > 0n && numberOf(bytes) < order)

test('the native implementation is used if there is a build of it', () => {
  expect(secp256k1Implementation).toBe(native === undefined ? 'noble' : 'native')
})

test.runIf(native !== undefined)('native and noble give the same answers', () => {
  if (native === undefined) return
  fc.assert(
    fc.property(privateKeys, words, words, (privateKey, digest, other) => {
      const publicKey = native.publicKeyFromPrivate(privateKey)
      const signed = native.signEcdsa(digest, privateKey)
      expect(nobleSecp256k1.publicKeyFromPrivate(privateKey)).toStrictEqual(publicKey)
      expect(nobleSecp256k1.signEcdsa(digest, privateKey)).toStrictEqual(signed)
      const long = native.uncompressPublicKey(publicKey)
      for (const { verifyEcdsa, recoverPublicKey, uncompressPublicKey } of implementations) {
        expect(uncompressPublicKey(publicKey)).toStrictEqual(long)
        expect(uncompressPublicKey(long)).toStrictEqual(long)
        expect(verifyEcdsa(signed.signature, digest, publicKey)).toBe(true)
        expect(recoverPublicKey(signed, digest)).toEqual(publicKey)
        expect(recoverPublicKey({ ...signed, signature: new Uint8Array(64) }, digest)).toBe(undefined)
        expect(verifyEcdsa(highS(signed.signature), digest, publicKey)).toBe(true)
        expect(verifyEcdsa(signed.signature, digest, long)).toBe(true)
        expect(verifyEcdsa(signed.signature, other, publicKey)).toBe(false)
      }
      const candidate = Uint8Array.of(2 + ((other[0] ?? 0) % 2), ...other)
      expect(nobleSecp256k1.isPublicKey(candidate)).toBe(native.isPublicKey(candidate))
    }),
  )
})

describe.each(implementations)('$name', (implementation) => {
  const privateKey = word(0x1234n)
  const publicKey = implementation.publicKeyFromPrivate(privateKey)
  const long = implementation.uncompressPublicKey(publicKey)
  const digest = new Uint8Array(32).fill(9)
  const { signature } = implementation.signEcdsa(digest, privateKey)

  test('signs as RFC 6979 says: private key 1, SHA-256 of "Satoshi Nakamoto"', () => {
    const satoshi = word(0xa0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883en)
    const expected =
      '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8' +
      '2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5'
    expect(Buffer.from(implementation.signEcdsa(satoshi, word(1n)).signature).toString('hex')).toBe(expected)
  })

  test('S is low, and a digest that is not below the order is signed too', () => {
    for (const fill of [0x00, 0x01, 0xff]) {
      const high = new Uint8Array(32).fill(fill)
      const signed = implementation.signEcdsa(high, privateKey)
      expect(numberOf(signed.signature.subarray(32)) <= order / 2n).toBe(true)
      expect(verifyEcdsa(signed.signature, high, publicKey)).toBe(true)
    }
  })

  test.each([
    ['r and s zero', new Uint8Array(64)],
    ['r zero', Uint8Array.from([...word(0n), ...signature.subarray(32)])],
    ['s zero', Uint8Array.from([...signature.subarray(0, 32), ...word(0n)])],
    ['r the order', Uint8Array.from([...word(order), ...signature.subarray(32)])],
    ['s the order', Uint8Array.from([...signature.subarray(0, 32), ...word(order)])],
    ['63 bytes', signature.subarray(0, 63)],
    ['65 bytes', Uint8Array.from([...signature, 0])],
  ])('a signature with %s does not verify', (_name, wrong) => {
    expect(implementation.verifyEcdsa(wrong, digest, publicKey)).toBe(false)
  })

  test('verifying leaves the signature as it was', () => {
    const high = highS(signature)
    const before = Uint8Array.from(high)
    expect(implementation.verifyEcdsa(high, digest, publicKey)).toBe(true)
    expect(high).toStrictEqual(before)
  })

  const hybrid = Uint8Array.of(6 + ((long[64] ?? 0) & 1), ...long.subarray(1))
  test.each([
    ['33 bytes', publicKey, true],
    ['65 bytes', long, true],
    ['no bytes', new Uint8Array(), false],
    ['32 bytes', publicKey.subarray(1), false],
    ['64 bytes', long.subarray(1), false],
    ['the hybrid form', hybrid, false],
    ['another first byte', Uint8Array.of(4, ...publicKey.subarray(1)), false],
    ['an x that is not on the curve', Uint8Array.of(2, ...word(5n)), false],
    ['an x that is not below the field', new Uint8Array(33).fill(0xff).fill(2, 0, 1), false],
    ['a y that is not that of x', Uint8Array.of(...long.subarray(0, 64), (long[64] ?? 0) ^ 1), false],
  ])('a public key of %s: %#', (_name, bytes, expected) => {
    expect(implementation.isPublicKey(bytes)).toBe(expected)
    if (expected) return
    expect(() => implementation.uncompressPublicKey(bytes)).toThrow()
    expect(implementation.verifyEcdsa(signature, digest, bytes)).toBe(false)
  })

  test.each([
    ['zero', word(0n)],
    ['the order', word(order)],
    ['2^256 - 1', word(2n ** 256n - 1n)],
    ['31 bytes', new Uint8Array(31).fill(1)],
    ['33 bytes', new Uint8Array(33).fill(1)],
    ['nothing', new Uint8Array()],
  ])('a private key that is %s neither signs nor has a point', (_name, wrong) => {
    expect(() => implementation.signEcdsa(digest, wrong)).toThrow()
    expect(() => implementation.publicKeyFromPrivate(wrong)).toThrow()
  })

  test('the least and the greatest private key sign, and their signatures verify', () => {
    for (const key of [word(1n), word(order - 1n)]) {
      const signed = implementation.signEcdsa(digest, key)
      expect(implementation.verifyEcdsa(signed.signature, digest, implementation.publicKeyFromPrivate(key))).toBe(true)
    }
  })

  test.each([31, 33])('a digest of %i bytes is not signed and does not verify', (length) => {
    expect(() => implementation.signEcdsa(new Uint8Array(length), privateKey)).toThrow()
    expect(implementation.verifyEcdsa(signature, new Uint8Array(length), publicKey)).toBe(false)
  })
})

test('the exported functions are those of the implementation in use', () => {
  const publicKey = publicKeyFromPrivate(word(1n))
  const digest = new Uint8Array(32).fill(3)
  expect(Buffer.from(publicKey).toString('hex')).toBe(
    '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', // SEC 2, 2.4.1: G
  )
  expect(isPublicKey(publicKey)).toBe(true)
  expect(uncompressPublicKey(publicKey).subarray(1, 33)).toStrictEqual(publicKey.subarray(1))
  expect(verifyEcdsa(signEcdsa(digest, word(1n)).signature, digest, publicKey)).toBe(true)
})

test('two parties share one point, whose x is the secret that node:crypto computes', () => {
  fc.assert(
    fc.property(privateKeys, privateKeys, (left, right) => {
      const [ours, theirs] = [publicKeyFromPrivate(left), publicKeyFromPrivate(right)]
      const point = sharedPoint(left, theirs)
      const exchange = createECDH('secp256k1')
      exchange.setPrivateKey(left)
      expect(Buffer.from(point.subarray(1, 33))).toEqual(exchange.computeSecret(theirs))
      for (const implementation of implementations) {
        expect(implementation.sharedPoint(right, ours)).toEqual(point)
        expect(implementation.sharedPoint(right, uncompressPublicKey(ours))).toEqual(point)
      }
      expect(isPublicKey(point)).toBe(true)
    }),
    { numRuns: 30 },
  )
})

test('a tweaked public key is the one of the tweaked private key', () => {
  fc.assert(
    fc.property(privateKeys, privateKeys, (privateKey, tweak) => {
      const sum = (numberOf(privateKey) + numberOf(tweak)) % order
      fc.pre(sum !== 0n)
      const expected = publicKeyFromPrivate(word(sum))
      for (const implementation of implementations) {
        expect(implementation.tweakPublicKey(publicKeyFromPrivate(privateKey), tweak)).toEqual(expected)
      }
    }),
    { numRuns: 30 },
  )
})

test.each(implementations)('$name tweaks no invalid key, and by no invalid tweak', (implementation) => {
  const publicKey = publicKeyFromPrivate(word(5n))
  expect(() => implementation.tweakPublicKey(new Uint8Array(33), word(1n))).toThrow()
  expect(() => implementation.tweakPublicKey(publicKey, word(order))).toThrow()
  // The sum is the point at infinity.
  expect(() => implementation.tweakPublicKey(publicKey, word(order - 5n))).toThrow()
})

test.each(implementations)('$name shares no point with an invalid key', (implementation) => {
  const key = word(5n)
  const publicKey = publicKeyFromPrivate(key)
  const long = uncompressPublicKey(publicKey)
  const hybrid = Uint8Array.of(6 + ((long[64] ?? 0) & 1), ...long.subarray(1))
  const offCurve = Uint8Array.of(...long.subarray(0, 64), (long[64] ?? 0) ^ 1)
  for (const bad of [new Uint8Array(), new Uint8Array(33), new Uint8Array(65), hybrid, offCurve, long.subarray(1)]) {
    expect(() => implementation.sharedPoint(key, bad)).toThrow()
  }
  for (const bad of [new Uint8Array(32), word(order), new Uint8Array(31)]) {
    expect(() => implementation.sharedPoint(bad, publicKey)).toThrow()
  }
})
