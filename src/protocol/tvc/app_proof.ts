import { bytesToHex } from '@noble/hashes/utils.js'
import { p256PublicPoint, signP256Sha256 } from '../crypto/p256.ts'
import type { SecretBytes } from '../crypto/secret_bytes.ts'
import type { JsonObject } from '../wire/json.ts'

/** A proof as activities carry it in `appProofs`. */
export type AppProof = {
  readonly scheme: 'SIGNATURE_SCHEME_EPHEMERAL_KEY_P256'
  /** 130 bytes in hex: the encryption point, then the signing point, both uncompressed. */
  readonly publicKey: string
  /** The signed text, JSON. */
  readonly proofPayload: string
  /** r‖s in hex. */
  readonly signature: string
}

/** An address that was made from a wallet's seed. */
export type DerivedAddress = {
  readonly organizationId: string
  readonly walletId: string
  readonly derivationPath: string
  readonly address: string
}

/** The statement of a proof. `timestampMs` is decimal text. */
export type AppProofPayload =
  | {
      readonly type: 'APP_PROOF_TYPE_ADDRESS_DERIVATION'
      readonly timestampMs: string
      readonly addressDerivationProof: DerivedAddress
    }
  | {
      readonly type: 'APP_PROOF_TYPE_POLICY_OUTCOME'
      readonly timestampMs: string
      readonly policyOutcomeProof: {
        readonly organizationId: string
        readonly outcome: PolicyOutcome
        readonly decisionContextDigest: string
        readonly organizationDataDigest: string
        readonly parentOrganizationDataDigest: string
        readonly userRequestApprovals: readonly UserRequestApproval[]
      }
    }

export type PolicyOutcome =
  | 'OUTCOME_ALLOW'
  | 'OUTCOME_DENY_EXPLICIT'
  | 'OUTCOME_DENY_IMPLICIT'
  | 'OUTCOME_REQUIRES_CONSENSUS'
  | 'OUTCOME_REJECTED'
  | 'OUTCOME_ERROR'
  | 'OUTCOME_REQUIRES_AUTHENTICATORS'
  | 'OUTCOME_TIME_INACTIVE'

/** The body that a user signed, with its stamp. */
type UserRequestApproval = {
  readonly scheme: string
  readonly publicKey: string
  readonly message: string
  readonly signature: string
}

/** The key that each proof carries and under which it verifies. The encryption key adds its public half only. */
export function appProofPublicKey({
  signingSecret,
  encryptionSecret,
}: {
  /** `appProofSigning`. */
  readonly signingSecret: SecretBytes
  /** `appProofEncryption`. */
  readonly encryptionSecret: SecretBytes
}): string {
  return bytesToHex(p256PublicPoint(encryptionSecret)) + bytesToHex(p256PublicPoint(signingSecret))
}

type UnsignedAppProof = {
  readonly signingSecret: SecretBytes
  /** `appProofPublicKey` of that secret. */
  readonly publicKey: string
  readonly payload: AppProofPayload
}

/**
 * Signs a proof: ECDSA on P-256 over the SHA-256 of the payload's UTF-8 bytes, the signature of QuorumOS. The proof
 * verifies under its own key. No machine attests this key, so there is no boot proof.
 */
export function signAppProof({ signingSecret, publicKey, payload }: UnsignedAppProof): AppProof {
  const proofPayload = JSON.stringify(payload satisfies JsonObject)
  const signature = bytesToHex(signP256Sha256(Buffer.from(proofPayload), signingSecret))
  return { scheme: 'SIGNATURE_SCHEME_EPHEMERAL_KEY_P256', publicKey, proofPayload, signature }
}
