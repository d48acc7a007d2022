import { strict as assert } from 'node:assert'
import { createECDH, createPrivateKey, createPublicKey, ECDH, type KeyObject } from 'node:crypto'
import { hexToBytes } from '@noble/hashes/utils.js'
import { publicKeyFromPrivate, uncompressPublicKey } from './secp256k1.ts'
import { SecretBytes } from './secret_bytes.ts'

/** Every curve of the interface's enum. */
export const curves = ['CURVE_SECP256K1', 'CURVE_ED25519', 'CURVE_P256'] as const

export type Curve = (typeof curves)[number]

/** The two curves whose private keys are numbers below the order of the group. */
export type WeierstrassCurve = Exclude<Curve, 'CURVE_ED25519'>

/** Length of a private key on each of the curves; for Ed25519 this is the seed of RFC 8032. */
export const privateKeyBytes = 32

/**
 * The public key of a private key: 33 bytes compressed (SEC 1, 2.3.3) for secp256k1 and P-256, 32 bytes for Ed25519
 * (RFC 8032, 5.1.5). Throws when `isPrivateKey` is false.
 */
export function publicKeyOf(curve: Curve, privateKey: Uint8Array): Uint8Array {
  if (!isPrivateKey(curve, privateKey)) throw new RangeError(`these bytes are no private key of ${curve}`)
  switch (curve) {
    case 'CURVE_SECP256K1':
      return publicKeyFromPrivate(privateKey)
    case 'CURVE_P256': {
      const exchange = createECDH('prime256v1')
      exchange.setPrivateKey(privateKey)
      return new Uint8Array(exchange.getPublicKey(null, 'compressed'))
    }
    case 'CURVE_ED25519': {
      const publicKey = createPublicKey(importEd25519PrivateKey(privateKey))
      return new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))
    }
  }
}

/** Whether these bytes are a private key: 32 of them, and for secp256k1 and P-256 a number from 1 to the order - 1. */
export function isPrivateKey(curve: Curve, bytes: Uint8Array): boolean {
  if (bytes.length !== privateKeyBytes) return false
  return curve === 'CURVE_ED25519' || (!isZero(bytes) && isBelow(bytes, orders[curve]))
}

/**
 * Returns the first candidate, counted from 0, that is a private key of the curve, and zeroes the candidates before it.
 * The chance that the first candidate is no private key is 2^-128 on secp256k1 and 2^-32 on P-256.
 */
export function firstPrivateKey(curve: Curve, candidateOf: (counter: number) => SecretBytes): SecretBytes {
  for (let counter = 0; ; counter += 1) {
    const candidate = candidateOf(counter)
    if (isPrivateKey(curve, candidate.reveal())) return candidate
    candidate[Symbol.dispose]()
  }
}

/**
 * Returns `privateKey + tweak` modulo the order, the sum of BIP-32 and SLIP-10, in a new array. Undefined when the
 * tweak is not below the order or the sum is zero, because no key results. Throws when `privateKey` is no private key.
 */
export function tweakPrivateKey(
  curve: WeierstrassCurve,
  { privateKey, tweak }: { readonly privateKey: Uint8Array; readonly tweak: Uint8Array },
): Uint8Array | undefined {
  assert(isPrivateKey(curve, privateKey) && tweak.length === privateKeyBytes, 'a private key and 32 bytes to add')
  return addModulo({ left: privateKey, right: tweak, order: orders[curve] })
}

/** The 65-byte form of a compressed public key (SEC 1, 2.3.3). Throws when the key is no point of the curve. */
export function uncompressedOf(curve: WeierstrassCurve, publicKey: Uint8Array): Uint8Array {
  return curve === 'CURVE_SECP256K1'
    ? uncompressPublicKey(publicKey)
    : new Uint8Array(ECDH.convertKey(publicKey, 'prime256v1', undefined, null, 'uncompressed'))
}

/** Imports the 32 bytes of an Ed25519 private key as DER, the only form that every Node version can import. */
export function importEd25519PrivateKey(privateKey: Uint8Array): KeyObject {
  return importPrivateKey(ed25519PrivateKeyPrefix, privateKey)
}

/** Imports the 32 bytes of a private key of P-256; OpenSSL computes the public one. */
export function importP256PrivateKey(privateKey: Uint8Array): KeyObject {
  if (!isPrivateKey('CURVE_P256', privateKey)) throw new RangeError('these bytes are no private key of CURVE_P256')
  return importPrivateKey(p256PrivateKeyPrefix, privateKey)
}

function importPrivateKey(prefix: Uint8Array, privateKey: Uint8Array): KeyObject {
  // Allocated outside of Buffer's pool, and erased at the closing brace.
  const der = Buffer.alloc(prefix.length + privateKeyBytes)
  using _erased = new SecretBytes(der)
  der.set(prefix)
  der.set(privateKey, prefix.length)
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
}

/** RFC 8410, 7: the DER of a private key up to its 32 bytes. */
const ed25519PrivateKeyPrefix = hexToBytes('302e020100300506032b657004220420')

/** RFC 5208 and RFC 5915: the DER of a private key without its public key, up to its 32 bytes. */
const p256PrivateKeyPrefix = hexToBytes('3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420')

/** SEC 2, 2.4.1 and 2.4.2. */
const orders: Readonly<Record<WeierstrassCurve, Uint8Array>> = {
  CURVE_SECP256K1: hexToBytes('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'),
  CURVE_P256: hexToBytes('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'),
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.reduce((seen, byte) => seen | byte, 0) === 0
}

type Addends = {
  readonly left: Uint8Array
  readonly right: Uint8Array
  readonly order: Uint8Array
}

/**
 * Adds bytes without a branch on them. A BigInt of a private key could not be erased, and the time of its arithmetic
 * would depend on its value. Undefined when `right` is not below the order or the sum is zero.
 */
function addModulo({ left, right, order }: Addends): Uint8Array | undefined {
  if (!isBelow(right, order)) return undefined
  const sum = new Uint8Array(privateKeyBytes)
  let carry = 0
  for (let index = privateKeyBytes - 1; index >= 0; index--) {
    const digit = (left[index] ?? 0) + (right[index] ?? 0) + carry
    sum[index] = digit
    carry = digit >> 8
  }
  const reduceMask = -(carry | Number(!isBelow(sum, order))) & 0xff // all ones when the sum has reached the order
  let borrow = 0
  for (let index = privateKeyBytes - 1; index >= 0; index--) {
    const digit = (sum[index] ?? 0) - ((order[index] ?? 0) & reduceMask) - borrow
    sum[index] = digit
    borrow = (digit >> 8) & 1
  }
  return isZero(sum) ? undefined : sum
}

/** Whether `left` is below `right`, both 32 bytes and big-endian. */
function isBelow(left: Uint8Array, right: Uint8Array): boolean {
  let borrow = 0
  for (let index = privateKeyBytes - 1; index >= 0; index--) {
    borrow = (((left[index] ?? 0) - (right[index] ?? 0) - borrow) >> 8) & 1
  }
  return borrow === 1
}
