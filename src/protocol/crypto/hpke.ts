import { strict as assert } from 'node:assert'
import { createHmac } from 'node:crypto'
import { decryptAesGcm, encryptAesGcm } from './aes_gcm.ts'
import { firstPrivateKey } from './curves.ts'
import { p256Point, p256PublicPoint, p256SharedX } from './p256.ts'
import { SecretBytes } from './secret_bytes.ts'

/**
 * Hybrid public key encryption (RFC 9180) in the one suite that bundles use: base mode, DHKEM(P-256, HKDF-SHA256),
 * HKDF-SHA256, AES-256-GCM, one message for each encapsulated key.
 *
 * Built on node:crypto, not on a WebCrypto library: WebCrypto draws the ephemeral key itself, answers asynchronously,
 * and takes private keys as text (JWK), which could not be erased.
 */
export type Sealed = {
  /** 65 bytes, the sender's ephemeral key uncompressed: `enc` of the RFC. */
  readonly encappedPublic: Uint8Array
  /** With its 16-byte tag at the end. */
  readonly ciphertext: Uint8Array
}

type Sealing = {
  /** 65 bytes, a point (`p256Point`). */
  readonly receiver: Uint8Array
  readonly plaintext: Uint8Array
  readonly randomBytes: (size: number) => Uint8Array
}

/**
 * Encrypts to a public key, with the info and the additional data of all bundles. Draws 32 random bytes. The caller
 * still owns `plaintext`.
 */
export function sealTo({ receiver, plaintext, randomBytes }: Sealing): Sealed {
  const { encappedPublic, sharedSecret } = encapsulate({ receiver, randomBytes })
  using _erased = sharedSecret
  using message = keySchedule({ sharedSecret, info: bundleInfo })
  const additionalData = Buffer.concat([encappedPublic, receiver])
  return { encappedPublic, ciphertext: encryptAesGcm({ ...message, additionalData, plaintext }) }
}

/** The plaintext, or undefined when this was not sealed to the public key of `receiverSecret`. */
export function openSealed({
  sealed: { encappedPublic, ciphertext },
  receiverSecret,
}: {
  readonly sealed: Sealed
  readonly receiverSecret: SecretBytes
}): SecretBytes | undefined {
  const point = p256Point(encappedPublic)
  if (point === undefined) return undefined
  const receiver = p256PublicPoint(receiverSecret)
  using sharedSecret = decapsulate({ encappedPublic: point, receiver, receiverSecret })
  using message = keySchedule({ sharedSecret, info: bundleInfo })
  return decryptAesGcm({ ...message, additionalData: Buffer.concat([point, receiver]), ciphertext })
}

const bundleInfo = Buffer.from('turnkey_hpke')

type Encapsulation = { readonly receiver: Uint8Array; readonly randomBytes: (size: number) => Uint8Array }

/** RFC 9180, 4.1, Encap; the ephemeral key is DeriveKeyPair (7.1.3) of 32 random bytes. */
export function encapsulate({ receiver, randomBytes }: Encapsulation): {
  readonly encappedPublic: Uint8Array
  readonly sharedSecret: SecretBytes
} {
  assert(receiver.length === 65, 'the receiver is an uncompressed point')
  using seed = new SecretBytes(randomBytes(32))
  assert(seed.reveal().length === 32, '32 random bytes')
  using ephemeral = deriveKey(seed)
  const encappedPublic = p256PublicPoint(ephemeral)
  using product = p256SharedX(ephemeral, receiver)
  return { encappedPublic, sharedSecret: sharedSecretOf({ product, encappedPublic, receiver }) }
}

type Decapsulation = {
  readonly encappedPublic: Uint8Array
  readonly receiver: Uint8Array
  readonly receiverSecret: SecretBytes
}

/** RFC 9180, 4.1, Decap. */
function decapsulate({ encappedPublic, receiver, receiverSecret }: Decapsulation): SecretBytes {
  using product = p256SharedX(receiverSecret, encappedPublic)
  return sharedSecretOf({ product, encappedPublic, receiver })
}

type Schedule = { readonly sharedSecret: SecretBytes; readonly info: Uint8Array }

/** RFC 9180, 5.1, KeySchedule of base mode: the key and the nonce of message 0. This nonce is the base nonce. */
export function keySchedule({ sharedSecret, info }: Schedule): MessageKey {
  using pskIdHash = labeledExtract({ suite: hpkeSuite, salt: nothing, label: 'psk_id_hash', keyMaterial: nothing })
  using infoHash = labeledExtract({ suite: hpkeSuite, salt: nothing, label: 'info_hash', keyMaterial: info })
  const context = Buffer.concat([Buffer.of(baseMode), pskIdHash.reveal(), infoHash.reveal()])
  const salt = sharedSecret.reveal()
  using secret = labeledExtract({ suite: hpkeSuite, salt, label: 'secret', keyMaterial: nothing })
  using nonce = labeledExpand({ suite: hpkeSuite, secret, label: 'base_nonce', info: context, length: 12 })
  const key = labeledExpand({ suite: hpkeSuite, secret, label: 'key', info: context, length: 32 })
  return { key, nonce: nonce.reveal().slice(), [Symbol.dispose]: () => key[Symbol.dispose]() }
}

/** The key of one message. Its nonce is used once and is not secret. */
type MessageKey = Disposable & { readonly key: SecretBytes; readonly nonce: Uint8Array }

const nothing = new Uint8Array()
const baseMode = 0x00
/** RFC 9180, 7: the numbers of DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM. */
const kemSuite = Buffer.concat([Buffer.from('KEM'), Buffer.of(0x00, 0x10)])
const hpkeSuite = Buffer.concat([Buffer.from('HPKE'), Buffer.of(0x00, 0x10, 0x00, 0x01, 0x00, 0x02)])

/** RFC 9180, 7.1.3, DeriveKeyPair. */
function deriveKey(seed: SecretBytes): SecretBytes {
  using secret = labeledExtract({ suite: kemSuite, salt: nothing, label: 'dkp_prk', keyMaterial: seed.reveal() })
  return firstPrivateKey('CURVE_P256', (counter) =>
    labeledExpand({ suite: kemSuite, secret, label: 'candidate', info: Uint8Array.of(counter), length: 32 }),
  )
}

type SharedSecretParts = {
  readonly product: SecretBytes
  readonly encappedPublic: Uint8Array
  readonly receiver: Uint8Array
}

/** RFC 9180, 4.1, ExtractAndExpand. */
function sharedSecretOf({ product, encappedPublic, receiver }: SharedSecretParts): SecretBytes {
  using secret = labeledExtract({ suite: kemSuite, salt: nothing, label: 'eae_prk', keyMaterial: product.reveal() })
  const info = Buffer.concat([encappedPublic, receiver])
  return labeledExpand({ suite: kemSuite, secret, label: 'shared_secret', info, length: 32 })
}

type Extraction = {
  readonly suite: Uint8Array
  readonly salt: Uint8Array
  readonly label: string
  readonly keyMaterial: Uint8Array
}

/** RFC 9180, 4, LabeledExtract. HKDF-Extract is one HMAC (RFC 5869, 2.2). */
function labeledExtract({ suite, salt, label, keyMaterial }: Extraction): SecretBytes {
  const mac = createHmac('sha256', salt).update('HPKE-v1').update(suite).update(label).update(keyMaterial)
  return new SecretBytes(mac.digest())
}

type Expansion = {
  readonly suite: Uint8Array
  readonly secret: SecretBytes
  readonly label: string
  readonly info: Uint8Array
  readonly length: 12 | 32
}

/** RFC 9180, 4, LabeledExpand, to at most 32 bytes: the first block of HKDF-Expand (RFC 5869, 2.3). */
function labeledExpand({ suite, secret, label, info, length }: Expansion): SecretBytes {
  const mac = createHmac('sha256', secret.reveal())
    .update(Uint8Array.of(0, length))
    .update('HPKE-v1')
    .update(suite)
    .update(label)
    .update(info)
    .update(Uint8Array.of(1))
  using block = new SecretBytes(mac.digest())
  return new SecretBytes(Uint8Array.from(block.reveal().subarray(0, length)))
}
