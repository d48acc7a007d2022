import { type KeyObject, verify } from 'node:crypto'

/**
 * The thread pool pays off only where a core is free. On two cores the service and the vault keep both busy, and
 * handing a signature over costs a third of the time that verifying takes.
 */
const poolPays = navigator.hardwareConcurrency > 2

/**
 * Verifies a signature in the thread pool, or at once where that is cheaper. `digest` is null if the signature scheme
 * has its own (Ed25519). ECDSA signatures are r‖s, RSA signatures PKCS #1 v1.5. False if the key or the signature is
 * unusable.
 */
export function verifySignature(
  digest: 'sha256' | null,
  signed: Uint8Array,
  key: KeyObject,
  signature: Uint8Array,
  { inPool = poolPays }: { readonly inPool?: boolean } = {},
): Promise<boolean> {
  return new Promise((resolve) => {
    const verifyKey = { key, dsaEncoding: 'ieee-p1363' } as const
    // An error means that the signature or the key is unusable, so the signature does not verify.
    if (inPool) verify(digest, signed, verifyKey, signature, (error, isValid) => resolve(!error && isValid))
    else resolve(isValidNow(() => verify(digest, signed, verifyKey, signature)))
  })
}

function isValidNow(verifyNow: () => boolean): boolean {
  try {
    return verifyNow()
  } catch {
    return false
  }
}
