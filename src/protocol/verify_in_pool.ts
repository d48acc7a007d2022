import { type KeyObject, verify } from 'node:crypto'

/**
 * Verifies in the thread pool, so that the event loop goes on meanwhile. `digest` is null where the signature scheme has
 * its own (Ed25519). ECDSA signatures are r‖s, RSA ones PKCS #1 v1.5. False for whatever cannot be verified at all.
 */
export function verifyInPool(
  digest: 'sha256' | null,
  signed: Uint8Array,
  key: KeyObject,
  signature: Uint8Array,
): Promise<boolean> {
  return new Promise((resolve) => {
    verify(digest, signed, { key, dsaEncoding: 'ieee-p1363' }, signature, (error, isValid) => {
      // An error is about the signature or the key: what cannot be verified is not verified.
      resolve(!error && isValid)
    })
  })
}
