import { bytesToHex } from '@noble/hashes/utils.js'
import { derOfEcdsaSignature } from '../crypto/der.ts'
import { p256PublicPoint, signP256Sha256 } from '../crypto/p256.ts'
import type { SecretBytes } from '../crypto/secret_bytes.ts'

/**
 * Returns the text of a signed envelope: JSON with `version`, `data` (hex of the UTF-8 bytes of the inner JSON),
 * `dataSignature` (hex of a DER signature, ECDSA on P-256 over the SHA-256 of those bytes) and `enclaveQuorumPublic`
 * (the signing key, uncompressed, lower-case hex: clients compare it as text). `bundleSigning` signs export bundles and
 * targets of imports, `tlsFetcherSigning` signs targets of passcodes.
 */
export function signEnvelope(signingSecret: SecretBytes, data: Readonly<Record<string, string>>): string {
  const bytes = Buffer.from(JSON.stringify(data))
  return JSON.stringify({
    version: 'v1.0.0',
    data: bytesToHex(bytes),
    dataSignature: bytesToHex(derOfEcdsaSignature(signP256Sha256(bytes, signingSecret))),
    enclaveQuorumPublic: bytesToHex(p256PublicPoint(signingSecret)),
  })
}
