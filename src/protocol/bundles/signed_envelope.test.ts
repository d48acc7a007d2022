import { verify } from 'node:crypto'
import { DER } from '@noble/curves/abstract/weierstrass.js'
import { fromDerSignature } from '@turnkey/crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newP256Pair } from '../../../test/support/p256_pairs.ts'
import { importP256PublicKey } from '../crypto/p256.ts'
import { signEnvelope } from './signed_envelope.ts'

const signer = newP256Pair()

function envelopeOf(data: Readonly<Record<string, string>>) {
  using secret = signer.secret()
  const envelope = JSON.parse(signEnvelope(secret, data))
  expect(Buffer.from(secret.reveal()).toString('hex')).toBe(signer.secretHex)
  return envelope
}

test('an envelope has four texts: version, data, signature and key, all but the version lower-case hex', () => {
  const envelope = envelopeOf({ targetPublic: '04', organizationId: 'organization' })
  expect(Object.keys(envelope).toSorted()).toEqual(['data', 'dataSignature', 'enclaveQuorumPublic', 'version'])
  expect(envelope.version).toBe('v1.0.0')
  expect(envelope.enclaveQuorumPublic).toBe(signer.uncompressed)
  expect(envelope.dataSignature).toMatch(/^30[0-9a-f]+$/)
  expect(JSON.parse(Buffer.from(envelope.data, 'hex').toString())).toEqual({
    targetPublic: '04',
    organizationId: 'organization',
  })
})

test('node:crypto verifies the DER signature over the decoded data; the client reads it, with lengths of one byte', () => {
  const key = importP256PublicKey(signer.point)
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme' })), (data) => {
      const { data: hex, dataSignature } = envelopeOf(data)
      const der = Buffer.from(dataSignature, 'hex')
      expect(verify('sha256', Buffer.from(hex, 'hex'), key, der)).toBe(true)
      expect(der[1]).toBe(der.length - 2)
      const { r, s } = DER.toSig(der)
      const joined = r.toString(16).padStart(64, '0') + s.toString(16).padStart(64, '0')
      expect(Buffer.from(fromDerSignature(dataSignature)).toString('hex')).toBe(joined)
      expect(JSON.parse(Buffer.from(hex, 'hex').toString())).toEqual(data)
    }),
    { numRuns: 300 },
  )
})
