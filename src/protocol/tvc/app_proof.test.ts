import { verifyAppProofSignature } from '@turnkey/crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newP256Pair } from '../../../test/support/p256_pairs.ts'
import { type AppProofPayload, appProofPublicKey, signAppProof } from './app_proof.ts'

const [signer, encryption] = [newP256Pair(), newP256Pair()]

function signed(payload: AppProofPayload) {
  using signingSecret = signer.secret()
  using encryptionSecret = encryption.secret()
  return signAppProof({ signingSecret, publicKey: appProofPublicKey({ signingSecret, encryptionSecret }), payload })
}

const texts = fc.string({ unit: 'grapheme' })
const payloads: fc.Arbitrary<AppProofPayload> = fc.oneof(
  fc.record({
    type: fc.constant('APP_PROOF_TYPE_ADDRESS_DERIVATION' as const),
    timestampMs: fc.nat().map(String),
    addressDerivationProof: fc.record({
      organizationId: texts,
      walletId: texts,
      derivationPath: texts,
      address: texts,
    }),
  }),
  fc.record({
    type: fc.constant('APP_PROOF_TYPE_POLICY_OUTCOME' as const),
    timestampMs: fc.nat().map(String),
    policyOutcomeProof: fc.record({
      organizationId: texts,
      outcome: fc.constantFrom('OUTCOME_ALLOW' as const, 'OUTCOME_REQUIRES_CONSENSUS' as const),
      decisionContextDigest: texts,
      organizationDataDigest: texts,
      parentOrganizationDataDigest: texts,
      userRequestApprovals: fc.array(fc.record({ scheme: texts, publicKey: texts, message: texts, signature: texts })),
    }),
  }),
)

test('@turnkey/crypto verifies a proof of either kind, and its payload is the given one', () => {
  fc.assert(
    fc.property(payloads, (payload) => {
      const proof = signed(payload)
      expect(() => verifyAppProofSignature(proof)).not.toThrow()
      expect(JSON.parse(proof.proofPayload)).toEqual(payload)
      expect(proof.scheme).toBe('SIGNATURE_SCHEME_EPHEMERAL_KEY_P256')
      expect(proof.publicKey).toBe(encryption.uncompressed + signer.uncompressed)
      expect(proof.signature).toMatch(/^[0-9a-f]{128}$/)
    }),
    { numRuns: 30 },
  )
})

test('a proof that was changed, or is of another key, does not verify', () => {
  const proof = signed({
    type: 'APP_PROOF_TYPE_ADDRESS_DERIVATION',
    timestampMs: '1',
    addressDerivationProof: { organizationId: 'o', walletId: 'w', derivationPath: "m/44'/60'/0'/0/0", address: '0x1' },
  })
  const changed = { ...proof, proofPayload: proof.proofPayload.replace('0x1', '0x2') }
  expect(() => verifyAppProofSignature(changed)).toThrow('Signature verification failed')
  const another = { ...proof, publicKey: signer.uncompressed + encryption.uncompressed }
  expect(() => verifyAppProofSignature(another)).toThrow('Signature verification failed')
})
