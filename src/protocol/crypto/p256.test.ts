import { createPublicKey, verify } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newP256Pair } from '../../../test/support/p256_pairs.ts'
import {
  compressedP256,
  importP256PublicKey,
  p256Point,
  p256PublicPoint,
  p256SharedX,
  signP256,
  signP256Sha256,
  verifyP256Sha256,
} from './p256.ts'
import { SecretBytes } from './secret_bytes.ts'

const privateKeys = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((key) => p256.utils.isValidSecretKey(key))
const pair = newP256Pair()

test('a point has one long form and one short form, those of noble', () => {
  fc.assert(
    fc.property(privateKeys, (key) => {
      const [short, long] = [p256.getPublicKey(key, true), p256.getPublicKey(key, false)]
      expect(p256Point(short)).toEqual(long)
      expect(p256Point(long)).toEqual(long)
      expect(compressedP256(long)).toEqual(short)
      using secret = new SecretBytes(key.slice())
      expect(p256PublicPoint(secret)).toEqual(long)
    }),
    { numRuns: 40 },
  )
})

describe('bytes that are no point give undefined', () => {
  const hybrid = Uint8Array.from(pair.point).fill(6 + ((pair.point[64] ?? 0) & 1), 0, 1)
  test.each([
    ['nothing', new Uint8Array()],
    ['the point at infinity', Uint8Array.of(0)],
    ['the hybrid form', hybrid],
    ['x and y without a form', pair.point.subarray(1)],
    ['a byte too few', pair.point.subarray(0, 64)],
    ['a byte too many', Uint8Array.of(...pair.point, 0)],
    ['a point beside the curve', Uint8Array.from(pair.point).fill((pair.point[64] ?? 0) ^ 1, 64)],
    ['a point of secp256k1', secp256k1.Point.BASE.toBytes(false)],
    ['an x without a y', hexToBytes(`02${'00'.repeat(31)}01`)],
    ['an x that is not below the field', new Uint8Array(33).fill(0xff).fill(2, 0, 1)],
  ])('%s', (_name, bytes) => {
    expect(p256Point(bytes)).toBeUndefined()
  })

  test('any bytes: a point exactly when noble says so', () => {
    const isNoblePoint = (bytes: Uint8Array) => {
      try {
        p256.Point.fromBytes(bytes).assertValidity()
        return true
      } catch {
        return false
      }
    }
    const xs = fc.uint8Array({ minLength: 32, maxLength: 32 })
    const compressed = fc.tuple(fc.constantFrom(2, 3), xs).map(([form, x]) => Uint8Array.of(form, ...x))
    fc.assert(
      fc.property(fc.oneof(compressed, fc.uint8Array({ maxLength: 70 })), (bytes) => {
        expect(p256Point(bytes) !== undefined).toBe(isNoblePoint(bytes))
      }),
    )
  })
})

test('two parties share the secret that noble computes', () => {
  fc.assert(
    fc.property(privateKeys, privateKeys, (left, right) => {
      using secret = new SecretBytes(left.slice())
      using shared = p256SharedX(secret, p256.getPublicKey(right, false))
      expect(Uint8Array.from(shared.reveal())).toEqual(p256.getSharedSecret(right, p256.getPublicKey(left)).subarray(1))
    }),
    { numRuns: 40 },
  )
})

test('bytes that are no point give no shared secret', () => {
  using secret = pair.secret()
  expect(() => p256SharedX(secret, new Uint8Array(65).fill(4, 0, 1))).toThrow()
})

test('a signature has a low s, is deterministic, and both node:crypto and noble verify it', () => {
  fc.assert(
    fc.property(privateKeys, fc.uint8Array(), (key, message) => {
      const digest = sha256(message)
      const { signature, recoveryId } = signP256(digest, key)
      const publicKey = p256.getPublicKey(key)
      expect(signP256(digest, key)).toEqual({ signature, recoveryId })
      expect(p256.verify(signature, digest, publicKey, { prehash: false, lowS: true })).toBe(true)
      const recovered = p256.recoverPublicKey(Uint8Array.of(recoveryId, ...signature), digest, { prehash: false })
      expect(recovered).toEqual(publicKey)
      const nodeKey = { key: importP256PublicKey(publicKey), dsaEncoding: 'ieee-p1363' } as const
      expect(verify('sha256', message, nodeKey, signature)).toBe(true)
      for (const form of [publicKey, p256.getPublicKey(key, false)]) {
        expect(verifyP256Sha256({ signature, message, publicKey: form })).toBe(true)
      }
    }),
    { numRuns: 40 },
  )
})

test('a signature by a key of this server has a low s, another nonce each time, and noble verifies it', () => {
  fc.assert(
    fc.property(privateKeys, fc.uint8Array(), (key, message) => {
      using secret = new SecretBytes(key.slice())
      const signature = signP256Sha256(message, secret)
      expect(signature).toHaveLength(64)
      expect(p256.verify(signature, sha256(message), p256.getPublicKey(key), { prehash: false, lowS: true })).toBe(true)
      expect(signP256Sha256(message, secret).subarray(0, 32)).not.toEqual(signature.subarray(0, 32))
    }),
    { numRuns: 40 },
  )
})

test('zero and the order of the curve sign nothing', () => {
  for (const bad of [new Uint8Array(32), hexToBytes(p256.Point.Fn.ORDER.toString(16)), new Uint8Array(31).fill(1)]) {
    using secret = new SecretBytes(bad)
    expect(() => signP256Sha256(Buffer.from('message'), secret)).toThrow('no private key of CURVE_P256')
  }
})

test('RFC 6979, A.2.5, "sample" with SHA-256: its r, and its s or the low one', () => {
  const key = hexToBytes('c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721')
  const { signature } = signP256(sha256(new TextEncoder().encode('sample')), key)
  const published = BigInt('0xf7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8')
  expect(bytesToHex(signature)).toBe(
    'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716' +
      (p256.Point.Fn.ORDER - published).toString(16).padStart(64, '0'),
  )
})

test('a high s verifies, as browsers make it; another message, key or signature does not', () => {
  const message = Buffer.from('message')
  const key = hexToBytes(pair.secretHex)
  const { signature } = signP256(sha256(message), key)
  const s = BigInt(`0x${bytesToHex(signature.subarray(32))}`)
  const high = hexToBytes(
    bytesToHex(signature.subarray(0, 32)) + (p256.Point.Fn.ORDER - s).toString(16).padStart(64, '0'),
  )
  const publicKey = pair.point
  expect(verifyP256Sha256({ signature: high, message, publicKey })).toBe(true)
  expect(verifyP256Sha256({ signature, message: Buffer.from('Message'), publicKey })).toBe(false)
  expect(verifyP256Sha256({ signature, message, publicKey: newP256Pair().point })).toBe(false)
  for (const bad of [new Uint8Array(), new Uint8Array(64), signature.subarray(1), Uint8Array.of(...signature, 0)]) {
    expect(verifyP256Sha256({ signature: bad, message, publicKey })).toBe(false)
  }
})

test('only a digest of 32 bytes is signed', () => {
  const key = hexToBytes(pair.secretHex)
  for (const length of [0, 31, 33, 64]) expect(() => signP256(new Uint8Array(length), key)).toThrow('32 bytes')
})

test('an imported key is the point that OpenSSL knows', () => {
  const spki = importP256PublicKey(p256Point(pair.point) ?? pair.point).export({ format: 'der', type: 'spki' })
  expect(Uint8Array.from(spki.subarray(-65))).toEqual(pair.point)
  expect(createPublicKey({ key: spki, format: 'der', type: 'spki' }).asymmetricKeyDetails?.namedCurve).toBe(
    'prime256v1',
  )
})
