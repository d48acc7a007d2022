import { firstPrivateKey, privateKeyBytes } from '../../protocol/crypto/curves.ts'
import { compressedP256, p256PublicPoint } from '../../protocol/crypto/p256.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'

/** A new secret scalar of P-256, and its point (65 bytes). */
export function newP256Key(randomBytes: (size: number) => Uint8Array) {
  const secret = firstPrivateKey('CURVE_P256', () => new SecretBytes(randomBytes(privateKeyBytes)))
  return { secret, publicKey: p256PublicPoint(secret) }
}

/** A new P-256 key for a link: a compressed point and a scalar, each in hex. A link is text, so the scalar is too. */
export function newLinkKey(randomBytes: (size: number) => Uint8Array) {
  const { secret, publicKey } = newP256Key(randomBytes)
  using scalar = secret
  return { publicKey: hexOf(compressedP256(publicKey)), privateKey: hexOf(scalar.reveal()) }
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
