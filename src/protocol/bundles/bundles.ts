import { bytesToHex } from '@noble/hashes/utils.js'
import { parseJsonPayload } from '../chains/payloads.ts'
import { gcmTagBytes } from '../crypto/aes_gcm.ts'
import { openSealed, type Sealed, sealTo } from '../crypto/hpke.ts'
import { p256Point } from '../crypto/p256.ts'
import type { SecretBytes } from '../crypto/secret_bytes.ts'
import { Failure } from '../wire/failures.ts'
import { signEnvelope } from './signed_envelope.ts'

/** Of the secret in a bundle: the longest is a mnemonic with its passphrase. */
export const bundlePlaintextBytesMax = 4_096

/**
 * The text of an `exportBundle`: `plaintext`, which stays the caller's, encrypted to the client's key and signed. A key
 * is its 32 bytes; a wallet is its mnemonic as UTF-8 and, when it has one, a newline and the passphrase.
 */
export function exportBundle({
  signingSecret,
  organizationId,
  targetPublicKey,
  plaintext,
  randomBytes,
}: {
  /** `bundleSigning`. */
  readonly signingSecret: SecretBytes
  /** Clients refuse a bundle of another organization than theirs. */
  readonly organizationId: string
  /** 65 bytes, of `parseTargetPublicKey`. */
  readonly targetPublicKey: Uint8Array
  readonly plaintext: SecretBytes
  readonly randomBytes: (size: number) => Uint8Array
}): string {
  const sealed = sealTo({ receiver: targetPublicKey, plaintext: plaintext.reveal(), randomBytes })
  return signEnvelope(signingSecret, {
    encappedPublic: bytesToHex(sealed.encappedPublic),
    ciphertext: bytesToHex(sealed.ciphertext),
    organizationId,
  })
}

/** The text of an `importBundle`: the key to which the client encrypts what it wants to import, for this user only. */
export function importTargetBundle({
  signingSecret,
  targetPublicKey,
  organizationId,
  userId,
}: {
  /** `bundleSigning`. */
  readonly signingSecret: SecretBytes
  /** 65 bytes, of a key made for this one import. */
  readonly targetPublicKey: Uint8Array
  readonly organizationId: string
  readonly userId: string
}): string {
  return signEnvelope(signingSecret, { targetPublic: bytesToHex(targetPublicKey), organizationId, userId })
}

/** The text of an `otpEncryptionTargetBundle`: the key to which the client encrypts a passcode. */
export function otpTargetBundle({
  signingSecret,
  targetPublicKey,
  organizationId,
}: {
  /** `tlsFetcherSigning`. */
  readonly signingSecret: SecretBytes
  /** 65 bytes, of a key made for this one passcode. */
  readonly targetPublicKey: Uint8Array
  readonly organizationId: string
}): string {
  return signEnvelope(signingSecret, { targetPublic: bytesToHex(targetPublicKey), organizationId })
}

/**
 * Reads an `encryptedBundle` or `encryptedOtpBundle`: the text of one JSON object with exactly `encappedPublic` (a point
 * of P-256, uncompressed) and `ciphertext`, both hex. Throws FIELD_INVALID.
 */
export function parseEncryptedBundle(text: string, fieldPath: string): Sealed {
  if (text.length > bundleCharactersMax) {
    throw new Failure('FIELD_INVALID', { fieldPath, expected: `at most ${bundleCharactersMax} characters` })
  }
  const { encappedPublic, ciphertext, ...others } = parseJsonPayload(text, fieldPath)
  if (Object.keys(others).length > 0) {
    throw new Failure('FIELD_INVALID', {
      fieldPath,
      reason: 'a bundle has encappedPublic and ciphertext, nothing else',
    })
  }
  const point = p256Point(readHex(encappedPublic, uncompressedPattern) ?? nothing)
  if (point === undefined) {
    throw new Failure('FIELD_INVALID', {
      fieldPath,
      reason: 'its encappedPublic must be a point of P-256, 65 bytes uncompressed, in hex',
    })
  }
  const bytes = readHex(ciphertext, bytesPattern)
  if (bytes === undefined || bytes.length < gcmTagBytes || bytes.length > ciphertextBytesMax) {
    throw new Failure('FIELD_INVALID', {
      fieldPath,
      reason: `its ciphertext must be hex of ${gcmTagBytes} to ${ciphertextBytesMax} bytes`,
    })
  }
  return { encappedPublic: point, ciphertext: bytes }
}

/** What is in a bundle that a client encrypted to the key of `receiverSecret`. Throws FIELD_INVALID. */
export function openEncryptedBundle({
  text,
  receiverSecret,
  fieldPath,
}: {
  readonly text: string
  readonly receiverSecret: SecretBytes
  readonly fieldPath: string
}): SecretBytes {
  const opened = openSealed({ sealed: parseEncryptedBundle(text, fieldPath), receiverSecret })
  if (opened === undefined) {
    const reason = 'it does not open: encrypt it to the targetPublic of the bundle that the init activity returned'
    throw new Failure('FIELD_INVALID', { fieldPath, reason })
  }
  return opened
}

/** The 65 bytes of a `targetPublicKey`: a point of P-256 in hex, uncompressed or compressed. Throws FIELD_INVALID. */
export function parseTargetPublicKey(text: string, fieldPath: string): Uint8Array {
  const point = p256Point(readHex(text, pointPattern) ?? nothing)
  if (point === undefined) {
    throw new Failure('FIELD_INVALID', { fieldPath, expected: 'a public key of P-256 in hex, 65 or 33 bytes' })
  }
  return point
}

const nothing = new Uint8Array()
const uncompressedPattern = /^04[0-9a-f]{128}$/i
const pointPattern = /^(04[0-9a-f]{128}|0[23][0-9a-f]{64})$/i
const bytesPattern = /^([0-9a-f]{2})*$/i

const ciphertextBytesMax = bundlePlaintextBytesMax + gcmTagBytes
/** Room for the names, for the point and for white space that a serializer may add. */
const bundleCharactersMax = 2 * ciphertextBytesMax + 1_024

function readHex(value: unknown, pattern: RegExp): Uint8Array | undefined {
  return typeof value === 'string' && pattern.test(value) ? new Uint8Array(Buffer.from(value, 'hex')) : undefined
}
