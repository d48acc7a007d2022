import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { verifySignature } from './verify_signature.ts'

const signed = Buffer.from('what was signed')
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed25519 = generateKeyPairSync('ed25519')
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const schemes = [
  ['ECDSA on P-256', 'sha256', p256],
  ['Ed25519', null, ed25519],
  ['RSA', 'sha256', rsa],
] as const

describe.each([
  ['in the pool', true],
  ['at once', false],
])('%s', (_name, inPool) => {
  test.each(schemes)('%s', async (_scheme, digest, { publicKey, privateKey }) => {
    const signature = sign(digest, signed, { key: privateKey, dsaEncoding: 'ieee-p1363' })
    expect(await verifySignature(digest, signed, publicKey, signature, { inPool })).toBe(true)

    const changed = Uint8Array.from(signature, (byte, index) => (index === 7 ? byte ^ 1 : byte))
    for (const wrong of [changed, signature.subarray(1), new Uint8Array(64), new Uint8Array(0)]) {
      expect(await verifySignature(digest, signed, publicKey, wrong, { inPool })).toBe(false)
    }
    expect(await verifySignature(digest, Buffer.from('another'), publicKey, signature, { inPool })).toBe(false)
  })

  test('an unusable signature does not verify', async () => {
    expect(await verifySignature(null, signed, p256.privateKey, new Uint8Array(64), { inPool })).toBe(false)
    expect(await verifySignature('sha256', signed, ed25519.publicKey, new Uint8Array(64), { inPool })).toBe(false)
  })
})
