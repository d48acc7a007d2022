import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import { gcmTagBytes } from '../crypto/aes_gcm.ts'
import { openSealed, sealTo } from '../crypto/hpke.ts'
import { compressedP256, p256Point } from '../crypto/p256.ts'
import type { SecretBytes } from '../crypto/secret_bytes.ts'
import { Failure } from '../wire/failures.ts'

/**
 * The compact form of a sealed secret: Base58Check, without a version byte, of the compressed encapsulated key and the
 * ciphertext. Credential bundles (`credentialBundle`: the 32-byte private key of a new API key) go out in it, secrets of
 * on-ramp providers come in. Throws for a plaintext of more than `compactPlaintextBytesMax`.
 */
export function sealCompactBundle({
  receiver,
  plaintext,
  randomBytes,
}: {
  /** 65 bytes, a point (`p256Point`). */
  readonly receiver: Uint8Array
  readonly plaintext: SecretBytes
  readonly randomBytes: (size: number) => Uint8Array
}): string {
  const { encappedPublic, ciphertext } = sealTo({ receiver, plaintext: plaintext.reveal(), randomBytes })
  return base58check.encode(Buffer.concat([compressedP256(encappedPublic), ciphertext]))
}

/** What a client sealed to the key of `receiverSecret`, at most 2,048 bytes. Throws FIELD_INVALID. */
export function openCompactBundle({
  text,
  receiverSecret,
  fieldPath,
}: {
  readonly text: string
  readonly receiverSecret: SecretBytes
  readonly fieldPath: string
}): SecretBytes {
  const bytes = decode(text)
  const encappedPublic = p256Point(bytes?.subarray(0, pointBytes) ?? new Uint8Array())
  if (bytes === undefined || encappedPublic === undefined || bytes.length < pointBytes + gcmTagBytes) {
    const expected = 'Base58Check of a compressed point of P-256 and a ciphertext'
    throw new Failure('FIELD_INVALID', { fieldPath, expected })
  }
  const opened = openSealed({ sealed: { encappedPublic, ciphertext: bytes.subarray(pointBytes) }, receiverSecret })
  if (opened === undefined) {
    throw new Failure('FIELD_INVALID', {
      fieldPath,
      reason: 'it does not open: encrypt it to the key published for it',
    })
  }
  return opened
}

const base58check = createBase58check(sha256)
const pointBytes = 33
const checksumBytes = 4
/** What goes out: the library encodes no more than 2,048 bytes, since encoding takes the square of their number. */
export const compactPlaintextBytesMax = 2_048 - pointBytes - gcmTagBytes - checksumBytes
/** What comes in. */
const plaintextBytesMax = 2_048
/** Base58 needs less than 1.37 characters a byte; decoding takes the square of their number, so it is bounded first. */
const charactersMax = Math.ceil((pointBytes + plaintextBytesMax + gcmTagBytes + checksumBytes) * 1.37)

function decode(text: string): Uint8Array | undefined {
  if (text.length > charactersMax) return undefined
  try {
    return base58check.decode(text)
  } catch {
    return undefined
  }
}
