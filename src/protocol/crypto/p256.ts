import { createECDH, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { p256 as noble } from '@noble/curves/nist.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { base64urlOf } from '../tools/base64url.ts'
import { importP256PrivateKey, uncompressedOf } from './curves.ts'
import { type EcdsaSignature, hasPointForm } from './secp256k1.ts'
import { SecretBytes } from './secret_bytes.ts'

/**
 * Returns the 65 uncompressed bytes of a public key in either form of SEC 1, 2.3.3; undefined when the bytes are no
 * point. OpenSSL also reads the hybrid form and the point at infinity. Both are refused, so that each key has one long
 * form.
 */
export function p256Point(bytes: Uint8Array): Uint8Array | undefined {
  if (!hasPointForm(bytes)) return undefined
  try {
    return uncompressedOf('CURVE_P256', bytes)
  } catch {
    return undefined // not on the curve
  }
}

/** The 65 bytes, uncompressed, of a private key's public key. */
export function p256PublicPoint(secret: SecretBytes): Uint8Array {
  const exchange = createECDH('prime256v1')
  exchange.setPrivateKey(secret.reveal())
  return new Uint8Array(exchange.getPublicKey())
}

/** The 33-byte form of a 65-byte point. */
export function compressedP256(point: Uint8Array): Uint8Array {
  return Uint8Array.of(2 + ((point[64] ?? 0) & 1), ...point.subarray(1, 33))
}

/** Imports a point in either form. */
export function importP256PublicKey(publicKey: Uint8Array): KeyObject {
  const point = uncompressedOf('CURVE_P256', publicKey)
  const x = base64urlOf(point.subarray(1, 33))
  const y = base64urlOf(point.subarray(33))
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
}

/** Returns the shared secret of ECDH (SEC 1, 3.3.1): 32 bytes, the x of the product. Throws for an invalid key. */
export function p256SharedX(secret: SecretBytes, publicKey: Uint8Array): SecretBytes {
  const exchange = createECDH('prime256v1')
  exchange.setPrivateKey(secret.reveal())
  return new SecretBytes(exchange.computeSecret(publicKey))
}

/**
 * Signs a 32-byte digest by ECDSA with a user's key, with the nonce of RFC 6979 and a low s. Noble signs, because
 * node:crypto draws random nonces and returns no recovery id.
 */
export function signP256(digest: Uint8Array, privateKey: Uint8Array): EcdsaSignature {
  // noble would truncate or pad another length.
  if (digest.length !== 32) throw new RangeError('a digest has 32 bytes')
  const recovered = noble.sign(digest, privateKey, { prehash: false, lowS: true, format: 'recovered' })
  const [recoveryId] = recovered
  if (recoveryId !== 0 && recoveryId !== 1) throw new Error('the recovery id must be 0 or 1')
  return { signature: recovered.slice(1), recoveryId }
}

/**
 * Signs the SHA-256 of a message by ECDSA with a key of this server: 64 bytes r‖s with a low s. OpenSSL signs, which
 * is faster than noble. Its nonce is random and mixed with the key and the digest.
 */
export function signP256Sha256(message: Uint8Array, secret: SecretBytes): Uint8Array {
  const key = importP256PrivateKey(secret.reveal())
  const signature = new Uint8Array(sign('sha256', message, { key, dsaEncoding: 'ieee-p1363' }))
  const s = BigInt(`0x${bytesToHex(signature.subarray(32))}`)
  if (s > order / 2n) signature.set(hexToBytes((order - s).toString(16).padStart(64, '0')), 32)
  return signature
}

const order = noble.Point.Fn.ORDER

type SignedMessage = {
  readonly signature: Uint8Array
  readonly message: Uint8Array
  /** A point in either form. */
  readonly publicKey: Uint8Array
}

/** Whether the 64 bytes r‖s sign the SHA-256 of these bytes; a high S is accepted. */
export function verifyP256Sha256({ signature, message, publicKey }: SignedMessage): boolean {
  return verify('sha256', message, { key: importP256PublicKey(publicKey), dsaEncoding: 'ieee-p1363' }, signature)
}
