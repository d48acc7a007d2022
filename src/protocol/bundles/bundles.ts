import { bytesToHex } from '@noble/hashes/utils.js'
import { parseJsonPayload } from '../chains/payloads.ts'
import { gcmTagBytes } from '../crypto/aes_gcm.ts'
import { type Arrived, doesNotOpen } from '../crypto/arrived.ts'
import { openSealed, type Sealed, sealTo } from '../crypto/hpke.ts'
import { p256Point } from '../crypto/p256.ts'
import type { SecretBytes } from '../crypto/secret_bytes.ts'
import { fieldInvalid, fieldRefused } from '../wire/failures.ts'
import { signEnvelope } from './signed_envelope.ts'

/** Greatest length in bytes of the secret in a bundle. A mnemonic with its passphrase is the longest secret. */
export const bundlePlaintextBytesMax = 4_096

type Export = {
  /** `bundleSigning`. */
  readonly signingSecret: SecretBytes
  /** Clients refuse a bundle of another organization. */
  readonly organizationId: string
  /** 65 bytes, from `parseTargetPublicKey`. */
  readonly targetPublicKey: Uint8Array
  readonly plaintext: SecretBytes
  readonly randomBytes: (size: number) => Uint8Array
}

/**
 * Returns the text of an `exportBundle`: `plaintext` encrypted to the client's key and signed. The caller still owns
 * `plaintext`. A private key is its 32 bytes. A wallet is its mnemonic in UTF-8, followed by a newline and the
 * passphrase if it has one.
 */
export function exportBundle({
  signingSecret,
  organizationId,
  targetPublicKey,
  plaintext,
  randomBytes,
}: Export): string {
  const sealed = sealTo({ receiver: targetPublicKey, plaintext: plaintext.reveal(), randomBytes })
  return signEnvelope(signingSecret, {
    encappedPublic: bytesToHex(sealed.encappedPublic),
    ciphertext: bytesToHex(sealed.ciphertext),
    organizationId,
  })
}

type ImportTarget = {
  /** `bundleSigning`. */
  readonly signingSecret: SecretBytes
  /** 65 bytes, of a key made for this one import. */
  readonly targetPublicKey: Uint8Array
  readonly organizationId: string
  readonly userId: string
}

/** Returns the text of an `importBundle`: the key to which this user's client encrypts the secret that it imports. */
export function importTargetBundle({ signingSecret, targetPublicKey, organizationId, userId }: ImportTarget): string {
  return signEnvelope(signingSecret, { targetPublic: bytesToHex(targetPublicKey), organizationId, userId })
}

type OtpTarget = {
  /** `tlsFetcherSigning`. */
  readonly signingSecret: SecretBytes
  /** 65 bytes, of a key made for this one passcode. */
  readonly targetPublicKey: Uint8Array
  readonly organizationId: string
}

/** Returns the text of an `otpEncryptionTargetBundle`: the key to which the client encrypts a passcode. */
export function otpTargetBundle({ signingSecret, targetPublicKey, organizationId }: OtpTarget): string {
  return signEnvelope(signingSecret, { targetPublic: bytesToHex(targetPublicKey), organizationId })
}

/**
 * Reads an `encryptedBundle` or `encryptedOtpBundle`: the text of one JSON object with exactly `encappedPublic` (an
 * uncompressed point of P-256) and `ciphertext`, both hex. Throws FIELD_INVALID.
 */
export function parseEncryptedBundle(text: string, fieldPath: string): Sealed {
  if (text.length > bundleCharactersMax) throw fieldInvalid(fieldPath, `at most ${bundleCharactersMax} characters`)
  const { encappedPublic, ciphertext, ...others } = parseJsonPayload(text, fieldPath)
  if (Object.keys(others).length > 0) {
    throw fieldRefused(fieldPath, 'a bundle has encappedPublic and ciphertext, nothing else')
  }
  const point = p256Point(readHex(encappedPublic, uncompressedPattern) ?? nothing)
  if (point === undefined) {
    throw fieldRefused(fieldPath, 'its encappedPublic must be a point of P-256, 65 bytes uncompressed, in hex')
  }
  const bytes = readHex(ciphertext, bytesPattern)
  if (bytes === undefined || bytes.length < gcmTagBytes || bytes.length > ciphertextBytesMax) {
    throw fieldRefused(fieldPath, `its ciphertext must be hex of ${gcmTagBytes} to ${ciphertextBytesMax} bytes`)
  }
  return { encappedPublic: point, ciphertext: bytes }
}

/** Returns the secret in a bundle that a client encrypted to the key of `receiverSecret`. Throws FIELD_INVALID. */
export function openEncryptedBundle({ text, receiverSecret, fieldPath }: Arrived): SecretBytes {
  const opened = openSealed({ sealed: parseEncryptedBundle(text, fieldPath), receiverSecret })
  if (opened !== undefined) return opened
  throw doesNotOpen(fieldPath, 'the targetPublic of the bundle that the init activity returned')
}

/** The 65 bytes of a `targetPublicKey`: a point of P-256 in hex, uncompressed or compressed. Throws FIELD_INVALID. */
export function parseTargetPublicKey(text: string, fieldPath: string): Uint8Array {
  const point = p256Point(readHex(text, pointPattern) ?? nothing)
  if (point === undefined) throw fieldInvalid(fieldPath, 'a public key of P-256 in hex, 65 or 33 bytes')
  return point
}

const nothing = new Uint8Array()
const uncompressedPattern = /^04[0-9a-f]{128}$/i
const pointPattern = /^(04[0-9a-f]{128}|0[23][0-9a-f]{64})$/i
const bytesPattern = /^([0-9a-f]{2})*$/i

const ciphertextBytesMax = bundlePlaintextBytesMax + gcmTagBytes
/** The 1,024 characters are room for the member names, the point and a serializer's white space. */
const bundleCharactersMax = 2 * ciphertextBytesMax + 1_024

function readHex(value: unknown, pattern: RegExp): Uint8Array | undefined {
  return typeof value === 'string' && pattern.test(value) ? new Uint8Array(Buffer.from(value, 'hex')) : undefined
}
