import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { SecretBytes } from '../../crypto/secret_bytes.ts'
import { messageOf, timed } from './cosignature.ts'
import type { Signer, Verifier } from './note.ts'
import { verifierBy } from './verifier.ts'
import { type KeyType, keyIdOf, type VerifierKey } from './verifier_keys.ts'

/** Verifies signatures of one key. */
export function verifierOf(key: VerifierKey): Verifier {
  const imported = importPublicKey(key.type, key.publicKey)
  return verifierBy(key, (message, signature) => verify(null, message, imported, signature))
}

/** A key that signs. Its seed has 32 bytes (RFC 8032; FIPS 204, 5.1). */
export type SigningKey = { readonly name: string; readonly type: KeyType; readonly seed: SecretBytes }

/**
 * Signs with one key. Cosignatures say that at `timeS`, in seconds since 1970, the signer knew no larger tree; with 0
 * one by ML-DSA-44 does not say so. ML-DSA-44 draws randomness of its own. Throws a RangeError for a text that such a
 * key cannot sign.
 */
export function signerOf(key: SigningKey, { timeS }: { readonly timeS: number }): Signer {
  const { name, type, seed } = key
  const privateKey = importPrivateKey(type, seed)
  return {
    name,
    keyId: keyIdOf(verifierKeyOf(key)),
    sign: (text) => {
      const message = messageOf(text, { name, type, timeS })
      if (message === undefined) throw new RangeError(`a key of ${type} cannot sign this text`)
      const signature = sign(null, message, privateKey)
      return type === 'Ed25519' ? new Uint8Array(signature) : timed(timeS, signature)
    },
  }
}

/** The public key for a seed. */
export function verifierKeyOf({ name, type, seed }: SigningKey): VerifierKey {
  const publicKey = createPublicKey(importPrivateKey(type, seed)).export({ format: 'raw-public' })
  return { name, type, publicKey: new Uint8Array(publicKey) }
}

function importPublicKey(type: KeyType, publicKey: Uint8Array): KeyObject {
  return createPublicKey({ key: publicKey, format: 'raw-public', asymmetricKeyType: nodeTypes[type] })
}

function importPrivateKey(type: KeyType, seed: SecretBytes): KeyObject {
  const format = type === 'ML-DSA-44 cosignature' ? 'raw-seed' : 'raw-private'
  return createPrivateKey({ key: seed.reveal(), format, asymmetricKeyType: nodeTypes[type] })
}

const nodeTypes = {
  Ed25519: 'ed25519',
  'Ed25519 cosignature': 'ed25519',
  'ML-DSA-44 cosignature': 'ml-dsa-44',
} as const
