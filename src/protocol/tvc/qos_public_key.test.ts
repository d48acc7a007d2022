import { createHash, randomBytes } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newP256Pair } from '../../../test/support/p256_pairs.ts'
import { parseQosPublicKey, verifyQosSignature } from './qos_public_key.ts'

const [encryption, signing] = [newP256Pair(), newP256Pair()]
const publicKey = encryption.uncompressed + signing.uncompressed
const message = randomBytes(32)

/** By noble, with low S. */
function signatureOf(bytes: Uint8Array, privateKeyHex: string): string {
  const digest = createHash('sha256').update(bytes).digest()
  const signature = p256.sign(digest, Buffer.from(privateKeyHex, 'hex'), { prehash: false })
  return Buffer.from(signature).toString('hex')
}

describe('a public key of QuorumOS', () => {
  test('is read in either case of its digits, and has two halves', () => {
    const halves = { encryption: encryption.uncompressed, signing: signing.uncompressed }
    expect(parseQosPublicKey(publicKey)).toEqual(halves)
    expect(parseQosPublicKey(publicKey.toUpperCase())).toEqual(halves)
  })

  for (const [claim, text] of [
    ['nothing', ''],
    ['one point', signing.uncompressed],
    ['three points', publicKey + signing.uncompressed],
    ['compressed points', encryption.compressed + signing.compressed],
    ['a prefix', `0x${publicKey}`],
    ['a line more', `${publicKey}\n`],
    ['an encryption half off the curve', `04${'11'.repeat(64)}${signing.uncompressed}`],
    ['a signing half off the curve', `${encryption.uncompressed}04${'00'.repeat(64)}`],
    ['a hybrid point', `${encryption.uncompressed}06${signing.uncompressed.slice(2)}`],
  ] as const) {
    test(`is not ${claim}`, () => expect(parseQosPublicKey(text)).toBeUndefined())
  }

  test('is never found in a text of another form, and reading never throws', () => {
    const nearly = fc
      .tuple(fc.nat({ max: publicKey.length }), fc.nat({ max: 3 }), fc.string({ unit: 'binary', maxLength: 3 }))
      .map(([at, cut, insert]) => publicKey.slice(0, at) + insert + publicKey.slice(at + cut))
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string({ unit: 'binary', maxLength: 300 })), (text) => {
        const halves = parseQosPublicKey(text)
        if (halves !== undefined) expect(halves.encryption + halves.signing).toBe(text.toLowerCase())
      }),
    )
  })
})

describe('a signature', () => {
  const signature = signatureOf(message, signing.secretHex)

  test('is that of the signing half over the SHA-256 of the message, with low or high S', () => {
    const s = BigInt(`0x${signature.slice(64)}`)
    const high = signature.slice(0, 64) + (p256.Point.Fn.ORDER - s).toString(16).padStart(64, '0')
    expect(verifyQosSignature({ publicKey, message, signature })).toBe(true)
    expect(verifyQosSignature({ publicKey, message, signature: signature.toUpperCase() })).toBe(true)
    expect(verifyQosSignature({ publicKey, message, signature: high })).toBe(true)
  })

  test('is not that of the encryption half, and not over the message itself', () => {
    const ofEncryption = signatureOf(message, encryption.secretHex)
    const unhashed = p256.sign(message, Buffer.from(signing.secretHex, 'hex'), { prehash: false })
    for (const other of [ofEncryption, Buffer.from(unhashed).toString('hex')]) {
      expect(verifyQosSignature({ publicKey, message, signature: other })).toBe(false)
    }
    expect(verifyQosSignature({ publicKey: signing.uncompressed, message, signature })).toBe(false)
  })

  test('of any other bytes is none, and looking never throws', () => {
    const others = fc.oneof(
      fc.uint8Array({ minLength: 64, maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('hex')),
      fc.constantFrom('00'.repeat(64), 'ff'.repeat(64), signature.slice(2), `${signature}00`, `0x${signature}`),
      fc.string({ unit: 'binary', maxLength: 200 }),
    )
    fc.assert(
      fc.property(others, (other) => {
        expect(verifyQosSignature({ publicKey, message, signature: other })).toBe(false)
      }),
    )
  })
})
