import { createHmac } from 'node:crypto'
import { decryptAesGcm, gcmTagBytes } from '../crypto/aes_gcm.ts'
import { type Arrived, doesNotOpen } from '../crypto/arrived.ts'
import { p256Point, p256PublicPoint, p256SharedX } from '../crypto/p256.ts'
import { joinedSecret, SecretBytes } from '../crypto/secret_bytes.ts'
import { fieldInvalid } from '../wire/failures.ts'

/**
 * The envelope of QuorumOS (`qos_p256`, encrypt.rs), in which secrets of OAuth 2.0 clients arrive
 * (`encryptedClientSecret`). It is Borsh of a 12-byte nonce, the sender's uncompressed ephemeral key, and the
 * ciphertext with its tag behind a little-endian length of four bytes. The cipher is AES-256-GCM. Its key is the first
 * half of an HMAC-SHA512 of a constant, keyed with both public keys and the x of their product. The additional data is
 * both public keys, each followed by its length.
 */
type QosEnvelope = {
  readonly nonce: Uint8Array
  readonly ephemeralPublic: Uint8Array
  readonly ciphertext: Uint8Array
}

/**
 * Returns the secret, at most 4,096 bytes, that a client encrypted to the key of `receiverSecret`. `text` is the
 * envelope in hex. Throws FIELD_INVALID.
 */
export function openQosEnvelope({ text, receiverSecret, fieldPath }: Arrived): SecretBytes {
  const envelope = parseEnvelope(text)
  if (envelope === undefined) {
    const expected = 'hex of an envelope: nonce, uncompressed point of P-256, length and ciphertext'
    throw fieldInvalid(fieldPath, expected)
  }
  const opened = decrypt(envelope, receiverSecret)
  if (opened === undefined) throw doesNotOpen(fieldPath, 'the key published for it')
  return opened
}

const nonceBytes = 12
const pointBytes = 65
const lengthBytes = 4
const headerBytes = nonceBytes + pointBytes + lengthBytes
const plaintextBytesMax = 4_096
const charactersMax = 2 * (headerBytes + plaintextBytesMax + gcmTagBytes)

/** Undefined unless the text is exactly one envelope. */
function parseEnvelope(text: string): QosEnvelope | undefined {
  if (text.length > charactersMax || !/^([0-9a-f]{2})+$/i.test(text)) return undefined
  const bytes = Buffer.from(text, 'hex')
  if (bytes.length < headerBytes + gcmTagBytes) return undefined
  if (bytes.readUInt32LE(nonceBytes + pointBytes) !== bytes.length - headerBytes) return undefined
  const point = bytes.subarray(nonceBytes, nonceBytes + pointBytes)
  const ephemeralPublic = p256Point(point)
  if (ephemeralPublic === undefined) return undefined
  return { nonce: bytes.subarray(0, nonceBytes), ephemeralPublic, ciphertext: bytes.subarray(headerBytes) }
}

function decrypt(
  { nonce, ephemeralPublic, ciphertext }: QosEnvelope,
  receiverSecret: SecretBytes,
): SecretBytes | undefined {
  const receiver = p256PublicPoint(receiverSecret)
  using product = p256SharedX(receiverSecret, ephemeralPublic)
  using key = envelopeKey({ product, ephemeralPublic, receiver })
  return decryptAesGcm({ key, nonce, additionalData: additionalDataOf({ ephemeralPublic, receiver }), ciphertext })
}

type Points = { readonly ephemeralPublic: Uint8Array; readonly receiver: Uint8Array }

function envelopeKey({ product, ephemeralPublic, receiver }: Points & { readonly product: SecretBytes }): SecretBytes {
  using macKey = joinedSecret(ephemeralPublic, receiver, product.reveal())
  using mac = new SecretBytes(createHmac('sha512', macKey.reveal()).update('qos_encryption_hmac_message').digest())
  return new SecretBytes(Uint8Array.from(mac.reveal().subarray(0, 32)))
}

function additionalDataOf({ ephemeralPublic, receiver }: Points): Uint8Array {
  return Buffer.concat([ephemeralPublic, Buffer.of(pointBytes), receiver, Buffer.of(pointBytes)])
}
