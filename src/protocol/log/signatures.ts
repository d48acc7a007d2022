import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { SecretBytes } from '../crypto/secret_bytes.ts'
import { readCheckpoint } from './checkpoint.ts'
import { cosignedText, cosignedTree, timed, timeOf } from './cosignature.ts'
import type { Signer, Verified, Verifier } from './note.ts'
import { type KeyType, keyIdOf, keyTypes, type VerifierKey } from './verifier_keys.ts'

/** Verifies signatures of one key. */
export function verifierOf(key: VerifierKey): Verifier {
  const { name, type, publicKey } = key
  const imported = importPublicKey(type, publicKey)
  return {
    name,
    keyId: keyIdOf(key),
    verify: (text, signature): Verified | undefined => {
      if (signature.length !== keyTypes[type].signatureBytes) return
      const timeS = type === 'Ed25519' ? 0 : timeOf(signature)
      const message = timeS === undefined ? undefined : messageOf(text, { name, type, timeS })
      const bare = type === 'Ed25519' ? signature : signature.subarray(8)
      if (message === undefined || !verify(null, message, imported, bare)) return
      return { timeS: timeS === 0 ? undefined : timeS }
    },
  }
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

type Statement = { readonly name: string; readonly type: KeyType; readonly timeS: number }

/** The bytes that are signed. Undefined if a key of this type signs no such text. */
function messageOf(text: string, { name, type, timeS }: Statement): Uint8Array | undefined {
  if (type === 'Ed25519') return Buffer.from(text)
  const checkpoint = readCheckpoint(text)
  if (checkpoint.kind === 'malformed') return
  if (type === 'Ed25519 cosignature') return cosignedText(text, { timeS })
  // It would not cover the lines.
  if (checkpoint.value.extensions.length > 0) return
  return cosignedTree(checkpoint.value, { name, timeS })
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
