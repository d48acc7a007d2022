import { ed25519 } from '@noble/curves/ed25519.js'
import { ml_dsa44 } from '@noble/post-quantum/ml-dsa.js'
import type { Verifier } from '../../../src/protocol/log/notes/note.ts'
import { verifierBy } from '../../../src/protocol/log/notes/verifier.ts'
import type { VerifierKey } from '../../../src/protocol/log/notes/verifier_keys.ts'

/** Verifies signatures of one key in any browser: none of them knows ML-DSA, and not all know Ed25519. */
export function keyVerifier(key: VerifierKey): Verifier {
  const { type, publicKey } = key
  return verifierBy(key, (message, signature) =>
    type === 'ML-DSA-44 cosignature'
      ? ml_dsa44.verify(signature, message, publicKey)
      : ed25519.verify(signature, message, publicKey, { zip215: false }),
  )
}
