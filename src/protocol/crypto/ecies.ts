import { strict as assert } from 'node:assert'
import { hkdfSync } from 'node:crypto'
import { encryptAesGcm, gcmTagBytes } from './aes_gcm.ts'
import { firstPrivateKey, privateKeyBytes } from './curves.ts'
import { publicKeyFromPrivate, sharedPoint, uncompressPublicKey } from './secp256k1.ts'
import { joinedSecret, SecretBytes } from './secret_bytes.ts'

type Encryption = {
  /** 33 or 65 bytes, a point (`isPublicKey`). */
  readonly receiver: Uint8Array
  readonly plaintext: SecretBytes
  readonly randomBytes: (size: number) => Uint8Array
}

/**
 * Encrypts to a secp256k1 key as the `ecies` family of libraries does by default (Rust `ecies`, Go `ecies/go`, npm
 * `eciesjs`): AES-256-GCM with a 16-byte nonce under HKDF-SHA256 of the ephemeral public key and the shared point, both
 * uncompressed. Returns the ephemeral public key (65 bytes) ‖ nonce (16) ‖ tag (16) ‖ ciphertext. Draws 32 random
 * bytes, then 16. The caller still owns `plaintext`. Throws when the receiver is no point.
 */
export function eciesEncrypt({ receiver, plaintext, randomBytes }: Encryption): Uint8Array {
  using ephemeral = firstPrivateKey('CURVE_SECP256K1', () => new SecretBytes(randomBytes(privateKeyBytes)))
  const ephemeralPublic = uncompressPublicKey(publicKeyFromPrivate(ephemeral.reveal()))
  const nonce = randomBytes(nonceBytes)
  assert(nonce.length === nonceBytes, 'a nonce has 16 bytes')
  using point = new SecretBytes(sharedPoint(ephemeral.reveal(), receiver))
  using keyMaterial = joinedSecret(ephemeralPublic, point.reveal())
  using key = new SecretBytes(new Uint8Array(hkdfSync('sha256', keyMaterial.reveal(), '', '', 32)))
  const ciphertext = encryptAesGcm({ key, nonce, additionalData: new Uint8Array(), plaintext: plaintext.reveal() })
  const tag = ciphertext.subarray(-gcmTagBytes)
  return new Uint8Array(Buffer.concat([ephemeralPublic, nonce, tag, ciphertext.subarray(0, -gcmTagBytes)]))
}

const nonceBytes = 16
