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
    convertPublicKey: (publicKey, compressed) => binding.publicKeyConvert(publicKey, compressed),
    isPublicKey: (publicKey) =>
      (publicKey.length === 33 || publicKey.length === 65) && binding.publicKeyVerify(publicKey),
  }
}

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

const implementation = nativeSecp256k1() ?? nobleSecp256k1

/** Which implementation is at work: `noble` is correct and slow, worth a warning at the start. */
export const secp256k1Implementation = implementation.name

/** Whether a 64-byte r‖s signs the 32-byte digest; a high S is accepted. */
export const verifyEcdsa = implementation.verifyEcdsa

/** Signs a 32-byte digest. */
export const signEcdsa = implementation.signEcdsa

/** The 33-byte point of a private key. */
export const publicKeyFromPrivate = implementation.publicKeyFromPrivate

/** `privateKey + tweak` modulo the order, in a new array; undefined when the tweak is not below the order or the sum is zero. */
export const privateKeyTweakAdd = implementation.privateKeyTweakAdd

/** Whether the bytes are a point: 33 bytes compressed or 65 uncompressed. */
export const isPublicKey = implementation.isPublicKey

export function compressPublicKey(publicKey: Uint8Array): Uint8Array {
  return implementation.convertPublicKey(publicKey, true)
}

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
