import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import { gcmTagBytes } from '../crypto/aes_gcm.ts'
import { type Arrived, doesNotOpen } from '../crypto/arrived.ts'
import { openSealed, sealTo } from '../crypto/hpke.ts'
import { compressedP256, p256Point } from '../crypto/p256.ts'
import type { SecretBytes } from '../crypto/secret_bytes.ts'
import { fieldInvalid } from '../wire/failures.ts'

type BundleToSeal = {
  /** 65 bytes, a point (`p256Point`). */
  readonly receiver: Uint8Array
  readonly plaintext: SecretBytes
  readonly randomBytes: (size: number) => Uint8Array
}

/**
 * Returns `plaintext` sealed in the compact form: Base58Check, without a version byte, of the compressed encapsulated
 * key and the ciphertext. Credential bundles (`credentialBundle`: the 32-byte private key of a new API key) leave in
 * this form. Secrets of on-ramp providers arrive in it. Throws for a plaintext longer than `compactPlaintextBytesMax`.
 */
export function sealCompactBundle({ receiver, plaintext, randomBytes }: BundleToSeal): string {
  const { encappedPublic, ciphertext } = sealTo({ receiver, plaintext: plaintext.reveal(), randomBytes })
  return base58check.encode(Buffer.concat([compressedP256(encappedPublic), ciphertext]))
}

/** Returns the secret, at most 2,048 bytes, that was sealed to the key of `receiverSecret`. Throws FIELD_INVALID. */
export function openCompactBundle({ text, receiverSecret, fieldPath }: Arrived): SecretBytes {
  const bytes = decode(text)
  const encappedPublic = p256Point(bytes?.subarray(0, pointBytes) ?? new Uint8Array())
  if (bytes === undefined || encappedPublic === undefined || bytes.length < pointBytes + gcmTagBytes) {
    const expected = 'Base58Check of a compressed point of P-256 and a ciphertext'
    throw fieldInvalid(fieldPath, expected)
  }
  const opened = openSealed({ sealed: { encappedPublic, ciphertext: bytes.subarray(pointBytes) }, receiverSecret })
  if (opened === undefined) throw doesNotOpen(fieldPath, 'the key published for it')
  return opened
}

const base58check = createBase58check(sha256)
const pointBytes = 33
const checksumBytes = 4
/** For bundles that leave. The library encodes at most 2,048 bytes, because encoding takes quadratic time. */
export const compactPlaintextBytesMax = 2_048 - pointBytes - gcmTagBytes - checksumBytes
/** For bundles that arrive. */
const plaintextBytesMax = 2_048
/** Base58 needs less than 1.37 characters a byte. Decoding takes quadratic time, so the length is checked first. */
const charactersMax = Math.ceil((pointBytes + plaintextBytesMax + gcmTagBytes + checksumBytes) * 1.37)

function decode(text: string): Uint8Array | undefined {
  if (text.length > charactersMax) return undefined
  try {
    return base58check.decode(text)
  } catch {
    return undefined
  }
}
