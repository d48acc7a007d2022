import Type from 'typebox'
import { Failure } from '../../../protocol/wire/failures.ts'
import { optional, Timestamp } from '../../fields/fields.ts'

/** What AWS Nitro hardware says of the software that it started: its attestation, and the manifest of QuorumOS. */
export const BootProofView = Type.Object({
  ephemeralPublicKeyHex: Type.String(),
  awsAttestationDocB64: Type.String(),
  qosManifestB64: Type.String(),
  qosManifestEnvelopeB64: Type.String(),
  deploymentLabel: Type.String(),
  enclaveApp: Type.String(),
  owner: Type.String(),
  createdAt: Timestamp,
  qosManifestVersion: optional(Type.String()),
})

/** There never is one: nothing but that hardware can make it, and anything else would be taken for it. */
export function noBootProof(): Failure {
  const reason =
    'boot proofs need AWS Nitro hardware, which attests no key of this server; app proofs verify under the key appProofSigning of /.well-known/claviger-keys.json'
  return new Failure('NOT_FOUND', { reason })
}
