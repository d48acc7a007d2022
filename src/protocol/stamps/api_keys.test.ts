import { createPrivateKey, ECDH, generateKeyPairSync, KeyObject, sign, verify } from 'node:crypto'
import { ed25519 as nobleEd25519 } from '@noble/curves/ed25519.js'
import { p256 as nobleP256 } from '@noble/curves/nist.js'
import { secp256k1 as nobleSecp256k1 } from '@noble/curves/secp256k1.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { apiKeyCurves, importApiPublicKey, parseApiPublicKey } from './api_keys.ts'

// The points of the private keys 0x11…, 0x22…, 0x33…
const p256 = '020217e617f0b6443928278f96999e69a23a4f2c152bdf6d6cdf66e5b80282d4ed'
const secp256k1 = '02466d7fcae563e5cb09a0d1870bb580344804617879a14949cf22285f1bae3f27'
const ed25519 = '17cb79fb2b4120f2b1ec65e4198d6e08b28e813feb01e4a400839b85e18080ce'

const long = (publicKey: string, curve: string) =>
  ECDH.convertKey(publicKey, curve, 'hex', 'hex', 'uncompressed').toString()
/** The point of a private key, and the same moved by a point of small order: the private key signs for each of them. */
const movedBy = (torsion: string) =>
  nobleEd25519.Point.fromHex(ed25519).add(nobleEd25519.Point.fromHex(torsion)).toHex()
const littleEndian = (first: number, last: number) => Buffer.from([first, ...Array(30).fill(0), last]).toString('hex')

describe('parseApiPublicKey passes a point of its curve, in lower case', () => {
  test.each([
    ['API_KEY_CURVE_P256', p256],
    ['API_KEY_CURVE_P256', p256.replace(/^02/, '03')],
    ['API_KEY_CURVE_SECP256K1', secp256k1],
    ['API_KEY_CURVE_SECP256K1', secp256k1.replace(/^02/, '03')],
    ['API_KEY_CURVE_ED25519', ed25519],
  ] as const)('%s %s', (curveType, publicKey) => {
    expect(parseApiPublicKey({ curveType, publicKey })).toBe(publicKey)
    expect(parseApiPublicKey({ curveType, publicKey: publicKey.toUpperCase() })).toBe(publicKey)
  })
})

describe('parseApiPublicKey refuses', () => {
  test.each([
    ['API_KEY_CURVE_P256', 'the long form', long(p256, 'prime256v1')],
    ['API_KEY_CURVE_P256', 'a point of another curve', secp256k1],
    ['API_KEY_CURVE_P256', 'an Ed25519 key', ed25519],
    ['API_KEY_CURVE_P256', 'an x that is not below the field', `02${'ff'.repeat(32)}`],
    ['API_KEY_CURVE_P256', 'another first byte', p256.replace(/^02/, '04')],
    ['API_KEY_CURVE_P256', 'a digit too few', p256.slice(1)],
    ['API_KEY_CURVE_P256', 'a byte too many', `${p256}00`],
    ['API_KEY_CURVE_P256', 'a prefix', `0x${p256}`],
    ['API_KEY_CURVE_P256', 'a line end', `${p256}\n`],
    ['API_KEY_CURVE_P256', 'a letter that is no digit', `${p256.slice(0, -1)}g`],
    ['API_KEY_CURVE_P256', 'nothing', ''],
    ['API_KEY_CURVE_P256', 'the point at infinity', '00'],
    ['API_KEY_CURVE_P256', 'zeros throughout', '00'.repeat(33)],
    ['API_KEY_CURVE_P256', 'an x that is not on the curve', `02${'1'.padStart(64, '0')}`],
    ['API_KEY_CURVE_SECP256K1', 'the point at infinity', '00'],
    ['API_KEY_CURVE_SECP256K1', 'zeros throughout', '00'.repeat(33)],
    ['API_KEY_CURVE_SECP256K1', 'the long form', long(secp256k1, 'secp256k1')],
    ['API_KEY_CURVE_SECP256K1', 'an x that is not on the curve', `02${'5'.padStart(64, '0')}`],
    ['API_KEY_CURVE_SECP256K1', 'an x that is not below the field', `02${'ff'.repeat(32)}`],
    ['API_KEY_CURVE_SECP256K1', 'an Ed25519 key', ed25519],
    ['API_KEY_CURVE_ED25519', 'a compressed point of another curve', p256],
    ['API_KEY_CURVE_ED25519', 'a y that is not on the curve', littleEndian(2, 0)],
    ['API_KEY_CURVE_ED25519', 'a y that is not below the field', 'ff'.repeat(32)],
    ['API_KEY_CURVE_ED25519', 'the neutral element', littleEndian(1, 0)],
    ['API_KEY_CURVE_ED25519', 'a point of order four', littleEndian(0, 0)],
    ['API_KEY_CURVE_ED25519', 'a key with a point of order two', movedBy(`ec${'ff'.repeat(30)}7f`)],
    ['API_KEY_CURVE_ED25519', 'a key with a point of order four', movedBy(littleEndian(0, 0))],
    [
      'API_KEY_CURVE_ED25519',
      'a key with a point of order eight',
      movedBy('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'),
    ],
    ['API_KEY_CURVE_ED25519', 'a byte too few', ed25519.slice(2)],
  ] as const)('%s: %s', (curveType, _name, publicKey) => {
    expect(parseApiPublicKey({ curveType, publicKey })).toBeUndefined()
  })
})

/** RFC 8032, 5.1: the order of the base point times the point is the neutral element. */
const isOfPrimeOrder = (bytes: Uint8Array) => {
  const point = nobleEd25519.Point.fromBytes(bytes)
  return point.multiplyUnsafe(nobleEd25519.Point.Fn.ORDER - 1n).equals(point.negate())
}

test('a key is a point of its curve, of Ed25519 one of prime order, exactly when noble says so', () => {
  const isPoint = (decode: () => unknown) => {
    try {
      decode()
      return true
    } catch {
      return false
    }
  }
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.constantFrom(2, 3), (bytes, form) => {
      const point = Uint8Array.of(form, ...bytes)
      for (const [curveType, publicKey, expected] of [
        ['API_KEY_CURVE_P256', point, isPoint(() => nobleP256.Point.fromBytes(point))],
        ['API_KEY_CURVE_SECP256K1', point, isPoint(() => nobleSecp256k1.Point.fromBytes(point))],
        ['API_KEY_CURVE_ED25519', bytes, isPoint(() => nobleEd25519.Point.fromBytes(bytes)) && isOfPrimeOrder(bytes)],
      ] as const) {
        const hex = Buffer.from(publicKey).toString('hex')
        expect(parseApiPublicKey({ curveType, publicKey: hex })).toBe(expected ? hex : undefined)
      }
    }),
  )
})

describe('importApiPublicKey', () => {
  test('a P-256 key verifies what its private key signs', () => {
    for (let round = 0; round < 20; round += 1) {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const form = (Buffer.from(y, 'base64url').at(-1) ?? 0) % 2 === 0 ? '02' : '03'
      const compressed = form + Buffer.from(x, 'base64url').toString('hex')
      expect(parseApiPublicKey({ curveType: 'API_KEY_CURVE_P256', publicKey: compressed })).toBe(compressed)
      const imported = importApiPublicKey({ curveType: 'API_KEY_CURVE_P256', publicKey: compressed })
      const message = Buffer.from('message')
      expect('key' in imported && verify('sha256', message, imported.key, sign('sha256', message, privateKey))).toBe(
        true,
      )
    }
  })

  test('an Ed25519 key verifies what its private key signs', () => {
    const prefix = Buffer.from('302e020100300506032b657004220420', 'hex') // RFC 8410, 7
    const der = Buffer.concat([prefix, Buffer.alloc(32, 0x33)])
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    const imported = importApiPublicKey({ curveType: 'API_KEY_CURVE_ED25519', publicKey: ed25519 })
    const message = Buffer.from('message')
    expect('key' in imported && imported.key instanceof KeyObject).toBe(true)
    expect('key' in imported && verify(null, message, imported.key, sign(null, message, privateKey))).toBe(true)
  })

  test('a secp256k1 key is its 33 bytes', () => {
    const imported = importApiPublicKey({ curveType: 'API_KEY_CURVE_SECP256K1', publicKey: secp256k1 })
    expect('publicKey' in imported && Buffer.from(imported.publicKey).toString('hex')).toBe(secp256k1)
  })
})

test('on arbitrary text nothing is thrown, and what passes can be imported and stays as it is', () => {
  const hex = fc.uint8Array({ minLength: 31, maxLength: 34 }).map((bytes) => Buffer.from(bytes).toString('hex'))
  const points = fc
    .tuple(fc.constantFrom('02', '03'), fc.uint8Array({ minLength: 32, maxLength: 32 }))
    .map(([form, x]) => form + Buffer.from(x).toString('hex'))
  fc.assert(
    fc.property(fc.constantFrom(...apiKeyCurves), fc.oneof(fc.string(), hex, points), (curveType, publicKey) => {
      const parsed = parseApiPublicKey({ curveType, publicKey })
      if (parsed === undefined) return
      expect(parseApiPublicKey({ curveType, publicKey: parsed })).toBe(parsed)
      expect(importApiPublicKey({ curveType, publicKey: parsed }).curveType).toBe(curveType)
    }),
    { numRuns: 500 },
  )
})
