import { messageOf, timeOf } from './cosignature.ts'
import type { Verified, Verifier } from './note.ts'
import { keyIdOf, keyTypes, type VerifierKey } from './verifier_keys.ts'

/** Verifies signatures of one key with a library, which says whether a bare signature is one of these bytes. */
export function verifierBy(
  key: VerifierKey,
  isSigned: (message: Uint8Array, signature: Uint8Array) => boolean,
): Verifier {
  const { name, type } = key
  return {
    name,
    keyId: keyIdOf(key),
    verify: (text, signature): Verified | undefined => {
      if (signature.length !== keyTypes[type].signatureBytes) return
      const timeS = type === 'Ed25519' ? 0 : timeOf(signature)
      const message = timeS === undefined ? undefined : messageOf(text, { name, type, timeS })
      const bare = type === 'Ed25519' ? signature : signature.subarray(8)
      if (message === undefined || !isSigned(message, bare)) return
      return { timeS: timeS === 0 ? undefined : timeS }
    },
  }
}
