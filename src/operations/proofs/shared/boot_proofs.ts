import Type from 'typebox'
import { optional, Timestamp } from '../../../contract/fields/fields.ts'
import { texts, view } from '../../../contract/fields/named.ts'
import { Failure } from '../../../protocol/wire/failures.ts'

/** A boot proof: what AWS Nitro hardware attests of the software that it started, with the manifest of QuorumOS. */
export const BootProofView = view('BootProof', {
  ...texts(
    'ephemeralPublicKeyHex',
    'awsAttestationDocB64',
    'qosManifestB64',
    'qosManifestEnvelopeB64',
    'deploymentLabel',
    'enclaveApp',
    'owner',
  ),
  createdAt: Timestamp,
  qosManifestVersion: optional(Type.String()),
})

/** The refusal of every boot proof. Only AWS Nitro hardware can make one, and a client would trust a substitute. */
export function noBootProof(): Failure {
  const reason =
    'boot proofs need AWS Nitro hardware, which attests no key of this server; app proofs verify under the key appProofSigning of /.well-known/claviger-keys.json'
  return new Failure('NOT_FOUND', reason)
}
