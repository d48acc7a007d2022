import { strict as assert } from 'node:assert'
import { createRequire } from 'node:module'
import { secp256k1 as noble } from '@noble/curves/secp256k1.js'

/**
 * ECDSA on secp256k1 (SEC 2, RFC 6979 nonces, low S). The native build of libsecp256k1 is some twenty times faster than
 * JavaScript; the package falls back to a slow one silently, so its native binding is loaded by name and, where there is
 * none, the audited JavaScript implementation takes over and says so.
 */
type Binding = {
  ecdsaSign(digest: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number }
  ecdsaVerify(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean
  signatureNormalize(signature: Uint8Array): Uint8Array
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array
  publicKeyConvert(publicKey: Uint8Array, compressed: boolean): Uint8Array
  publicKeyVerify(publicKey: Uint8Array): boolean
  privateKeyTweakAdd(privateKey: Uint8Array, tweak: Uint8Array): Uint8Array
}

/** One of the two implementations; they answer alike. */
export type Secp256k1 = {
  readonly name: 'native' | 'noble'
  verifyEcdsa(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean
  signEcdsa(digest: Uint8Array, privateKey: Uint8Array): EcdsaSignature
  publicKeyFromPrivate(privateKey: Uint8Array): Uint8Array
  privateKeyTweakAdd(privateKey: Uint8Array, tweak: Uint8Array): Uint8Array | undefined
  convertPublicKey(publicKey: Uint8Array, compressed: boolean): Uint8Array
  isPublicKey(publicKey: Uint8Array): boolean
}

/** 64 bytes r‖s with low S. A recovery id of 2 or 3 needs an r above the order: one in 2^127, refused as a bug. */
export type EcdsaSignature = { readonly signature: Uint8Array; readonly recoveryId: 0 | 1 }

/** libsecp256k1, or undefined where the package has no build of it for this machine. */
export function nativeSecp256k1(): Secp256k1 | undefined {
  let binding: Binding
  try {
    binding = createRequire(import.meta.url)('secp256k1/bindings')
  } catch {
    return undefined
  }
  return {
    name: 'native',
    verifyEcdsa: (signature, digest, publicKey) => {
      if (!hasPointForm(publicKey)) return false
      try {
        return binding.ecdsaVerify(binding.signatureNormalize(Uint8Array.from(signature)), digest, publicKey)
      } catch {
        return false // r or s is zero or not below the order, or the point is none
      }
    },
    signEcdsa: (digest, privateKey) => {
      const { signature, recid } = binding.ecdsaSign(digest, privateKey)
      return { signature, recoveryId: parityOf(recid) }
    },
    publicKeyFromPrivate: (privateKey) => binding.publicKeyCreate(privateKey, true),
    privateKeyTweakAdd: (privateKey, tweak) => {
      const sum = Uint8Array.from(privateKey)
      try {
        return binding.privateKeyTweakAdd(sum, tweak)
      } catch {
        sum.fill(0)
        return undefined
      }
    },
    convertPublicKey: (publicKey, compressed) => {
      if (!hasPointForm(publicKey)) throw new RangeError('these bytes are no point')
      return binding.publicKeyConvert(publicKey, compressed)
    },
    isPublicKey: (publicKey) => hasPointForm(publicKey) && binding.publicKeyVerify(publicKey),
  }
}

/** The same in JavaScript: for machines without a native build, and for comparing the two. */
export const nobleSecp256k1: Secp256k1 = {
  name: 'noble',
  verifyEcdsa: (signature, digest, publicKey) => {
    try {
      return noble.verify(signature, digest, publicKey, { prehash: false, lowS: false })
    } catch {
      return false
    }
  },
  signEcdsa: (digest, privateKey) => {
    const recovered = noble.sign(digest, privateKey, { prehash: false, lowS: true, format: 'recovered' })
    return { signature: recovered.slice(1), recoveryId: parityOf(recovered[0]) }
  },
  publicKeyFromPrivate: (privateKey) => noble.getPublicKey(privateKey, true),
  privateKeyTweakAdd: (privateKey, tweak) => {
    const { Fn } = noble.Point
    const [left, right] = [toNumber(privateKey), toNumber(tweak)]
    if (right >= Fn.ORDER) return undefined
    const sum = Fn.add(left, right)
    return Fn.is0(sum) ? undefined : Fn.toBytes(sum)
  },
  convertPublicKey: (publicKey, compressed) => noble.Point.fromBytes(publicKey).toBytes(compressed),
  isPublicKey: (publicKey) => {
    try {
      noble.Point.fromBytes(publicKey).assertValidity()
      return true
    } catch {
      return false
    }
  },
}

/** SEC 1, 2.3.3, without its hybrid form: libsecp256k1 reads that one, and one key must have one long form. */
function hasPointForm(publicKey: Uint8Array): boolean {
  const [form] = publicKey
  return publicKey.length === 33 ? form === 2 || form === 3 : publicKey.length === 65 && form === 4
}

const implementation = nativeSecp256k1() ?? nobleSecp256k1

/** Which implementation is at work: `noble` is correct and slow, worth a warning at the start. */
export const secp256k1Implementation = implementation.name

/** Whether a 64-byte r‖s signs the 32-byte digest; a high S is accepted. */
export const verifyEcdsa = implementation.verifyEcdsa

/** Signs a 32-byte digest. Throws when the private key is not a number from 1 to the order - 1. */
export const signEcdsa = implementation.signEcdsa

/** The 33-byte point of a private key. Throws when it is not a number from 1 to the order - 1. */
export const publicKeyFromPrivate = implementation.publicKeyFromPrivate

/** `privateKey + tweak` modulo the order, in a new array; undefined when the tweak is not below the order or the sum is zero. */
export function privateKeyTweakAdd(privateKey: Uint8Array, tweak: Uint8Array): Uint8Array | undefined {
  assert(privateKey.length === 32 && tweak.length === 32, 'both numbers have 32 bytes')
  return implementation.privateKeyTweakAdd(privateKey, tweak)
}

/** Whether the bytes are a point: 33 bytes compressed or 65 uncompressed. */
export const isPublicKey = implementation.isPublicKey

/** The 33-byte form of a public key in either form. Throws when `isPublicKey` is false. */
export function compressPublicKey(publicKey: Uint8Array): Uint8Array {
  return implementation.convertPublicKey(publicKey, true)
}

/** The 65-byte form of a public key in either form. Throws when `isPublicKey` is false. */
export function uncompressPublicKey(publicKey: Uint8Array): Uint8Array {
  return implementation.convertPublicKey(publicKey, false)
}

function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}

function parityOf(recoveryId: number | undefined): 0 | 1 {
  if (recoveryId === 0 || recoveryId === 1) return recoveryId
  throw new Error('a signature with this recovery id has never been seen')
}
