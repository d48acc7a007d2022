import { type KeyObject, verify } from 'node:crypto'

/**
 * The thread pool pays where a core is free for it. On two cores the service and the vault keep both busy, and handing a
 * signature over costs a third of what verifying it does.
 */
const poolPays = navigator.hardwareConcurrency > 2

/**
 * Verifies in the thread pool, so that the event loop goes on meanwhile, or at once where that is cheaper. `digest` is
 * null where the signature scheme has its own (Ed25519). ECDSA signatures are r‖s, RSA ones PKCS #1 v1.5. False for
 * whatever cannot be verified at all.
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
    // An error is about the signature or the key: what cannot be verified is not verified.
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
