import { createRequire } from 'node:module'
import { secp256k1 as noble } from '@noble/curves/secp256k1.js'

/**
 * ECDSA on secp256k1 (SEC 2, RFC 6979 nonces, low S). The native build of libsecp256k1 signs about ten times and
 * verifies about twenty times as fast as JavaScript. The package would fall back to a slow implementation silently, so
 * the native binding is loaded by name. Without it the audited JavaScript implementation is used, which
 * `secp256k1Implementation` shows.
 */
type Binding = {
  ecdsaSign(digest: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number }
  ecdsaVerify(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean
  ecdsaRecover(signature: Uint8Array, recid: number, digest: Uint8Array, compressed: boolean): Uint8Array
  signatureNormalize(signature: Uint8Array): Uint8Array
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array
  publicKeyConvert(publicKey: Uint8Array, compressed: boolean): Uint8Array
  publicKeyVerify(publicKey: Uint8Array): boolean
  publicKeyTweakAdd(publicKey: Uint8Array, tweak: Uint8Array, compressed: boolean): Uint8Array
  ecdh(publicKey: Uint8Array, privateKey: Uint8Array, options: EcdhOptions, output: Uint8Array): Uint8Array
}

/** `ecdh` writes the coordinates of the shared point to the buffers and copies the result of `hashfn` to the output. */
type EcdhOptions = { readonly xbuf: Uint8Array; readonly ybuf: Uint8Array; readonly hashfn: () => Uint8Array }

/** One of the two implementations, which give the same answers. */
export type Secp256k1 = {
  readonly name: 'native' | 'noble'
  verifyEcdsa(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean
  recoverPublicKey(signed: EcdsaSignature, digest: Uint8Array): Uint8Array | undefined
  signEcdsa(digest: Uint8Array, privateKey: Uint8Array): EcdsaSignature
  publicKeyFromPrivate(privateKey: Uint8Array): Uint8Array
  uncompressPublicKey(publicKey: Uint8Array): Uint8Array
  isPublicKey(publicKey: Uint8Array): boolean
  sharedPoint(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array
  tweakPublicKey(publicKey: Uint8Array, tweak: Uint8Array): Uint8Array
}

/** 64 bytes r‖s with low S. A recovery id of 2 or 3 needs an r above the order: one in 2^127, refused as a bug. */
export type EcdsaSignature = { readonly signature: Uint8Array; readonly recoveryId: 0 | 1 }

const digestBytes = 32

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
    recoverPublicKey: ({ signature, recoveryId }, digest) => {
      try {
        return binding.ecdsaRecover(Uint8Array.from(signature), recoveryId, digest, true)
      } catch {
        return undefined // r or s is zero or not below the order, or r is of no point
      }
    },
    signEcdsa: (digest, privateKey) => {
      const { signature, recid } = binding.ecdsaSign(digest, privateKey)
      return { signature, recoveryId: parityOf(recid) }
    },
    publicKeyFromPrivate: (privateKey) => binding.publicKeyCreate(privateKey, true),
    uncompressPublicKey: (publicKey) => {
      if (!hasPointForm(publicKey)) throw new RangeError('these bytes are no point')
      return binding.publicKeyConvert(publicKey, false)
    },
    isPublicKey: (publicKey) => hasPointForm(publicKey) && binding.publicKeyVerify(publicKey),
    tweakPublicKey: (publicKey, tweak) => {
      if (!hasPointForm(publicKey)) throw new RangeError('these bytes are no point')
      return binding.publicKeyTweakAdd(publicKey, tweak, true)
    },
    sharedPoint: (privateKey, publicKey) => {
      if (!hasPointForm(publicKey)) throw new RangeError('these bytes are no point')
      const point = Uint8Array.of(4, ...new Uint8Array(64))
      const [xbuf, ybuf] = [point.subarray(1, 33), point.subarray(33)]
      try {
        return binding.ecdh(publicKey, privateKey, { xbuf, ybuf, hashfn: () => point }, new Uint8Array(point.length))
      } finally {
        point.fill(0)
      }
    },
  }
}

/** The implementation in JavaScript, for machines without a native build and for comparison with it. */
export const nobleSecp256k1: Secp256k1 = {
  name: 'noble',
  verifyEcdsa: (signature, digest, publicKey) => {
    if (digest.length !== digestBytes) return false
    try {
      return noble.verify(signature, digest, publicKey, { prehash: false, lowS: false })
    } catch {
      return false
    }
  },
  recoverPublicKey: ({ signature, recoveryId }, digest) => {
    if (digest.length !== digestBytes) return undefined
    try {
      return noble.Signature.fromBytes(signature).addRecoveryBit(recoveryId).recoverPublicKey(digest).toBytes(true)
    } catch {
      return undefined
    }
  },
  signEcdsa: (digest, privateKey) => {
    // noble would truncate or pad another length; libsecp256k1 refuses it.
    if (digest.length !== digestBytes) throw new RangeError('a digest has 32 bytes')
    const recovered = noble.sign(digest, privateKey, { prehash: false, lowS: true, format: 'recovered' })
    return { signature: recovered.slice(1), recoveryId: parityOf(recovered[0]) }
  },
  publicKeyFromPrivate: (privateKey) => noble.getPublicKey(privateKey, true),
  uncompressPublicKey: (publicKey) => noble.Point.fromBytes(publicKey).toBytes(false),
  isPublicKey: (publicKey) => {
    try {
      noble.Point.fromBytes(publicKey).assertValidity()
      return true
    } catch {
      return false
    }
  },
  sharedPoint: (privateKey, publicKey) => noble.getSharedSecret(privateKey, publicKey, false),
  tweakPublicKey: (publicKey, tweak) => {
    const { Point } = noble
    return Point.fromBytes(publicKey)
      .add(Point.BASE.multiply(Point.Fn.fromBytes(tweak)))
      .toBytes(true)
  },
}

/**
 * Whether the bytes have a form of SEC 1, 2.3.3, other than the hybrid form, which libsecp256k1 and OpenSSL read too:
 * each key must have one long form.
 */
export function hasPointForm(publicKey: Uint8Array): boolean {
  const [form] = publicKey
  return publicKey.length === 33 ? form === 2 || form === 3 : publicKey.length === 65 && form === 4
}

const implementation = nativeSecp256k1() ?? nobleSecp256k1

/** The implementation in use. `noble` is correct but slow, so the vault warns of it when it starts. */
export const secp256k1Implementation = implementation.name

/** Whether a 64-byte r‖s signs the 32-byte digest; a high S is accepted. */
export const verifyEcdsa = implementation.verifyEcdsa

/** The compressed public key under which a signature of a 32-byte digest has this recovery id. Undefined if none has. */
export const recoverPublicKey = implementation.recoverPublicKey

/** Signs a 32-byte digest. Throws when the private key is not a number from 1 to the order - 1. */
export const signEcdsa = implementation.signEcdsa

/** The 33-byte point of a private key. Throws when it is not a number from 1 to the order - 1. */
export const publicKeyFromPrivate = implementation.publicKeyFromPrivate

/** Whether the bytes are a point: 33 bytes compressed or 65 uncompressed. */
export const isPublicKey = implementation.isPublicKey

/** The 65-byte form of a public key in either form. Throws when `isPublicKey` is false. */
export const uncompressPublicKey = implementation.uncompressPublicKey

/**
 * Returns the shared point of ECDH: the product of a private key and a public key in either form, 65 bytes
 * uncompressed. Throws when either key is invalid.
 */
export const sharedPoint = implementation.sharedPoint

/**
 * Returns the point plus the product of the generator and a number of 32 bytes, 33 bytes. Throws when either is invalid,
 * or the sum is no point.
 */
export const tweakPublicKey = implementation.tweakPublicKey

function parityOf(recoveryId: number | undefined): 0 | 1 {
  if (recoveryId === 0 || recoveryId === 1) return recoveryId
  throw new Error('the recovery id must be 0 or 1')
}
