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
  ecdh(publicKey: Uint8Array, privateKey: Uint8Array, options: EcdhOptions, output: Uint8Array): Uint8Array
}

/** Into the buffers go the coordinates of the shared point; what `hashfn` returns is copied to the output. */
type EcdhOptions = { readonly xbuf: Uint8Array; readonly ybuf: Uint8Array; readonly hashfn: () => Uint8Array }

/** One of the two implementations; they answer alike. */
export type Secp256k1 = {
  readonly name: 'native' | 'noble'
  verifyEcdsa(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean
  signEcdsa(digest: Uint8Array, privateKey: Uint8Array): EcdsaSignature
  publicKeyFromPrivate(privateKey: Uint8Array): Uint8Array
  uncompressPublicKey(publicKey: Uint8Array): Uint8Array
  isPublicKey(publicKey: Uint8Array): boolean
  sharedPoint(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array
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

/** The same in JavaScript: for machines without a native build, and for comparing the two. */
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
  signEcdsa: (digest, privateKey) => {
    // noble would cut or fill it; libsecp256k1 takes no other.
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

/** Whether the bytes are a point: 33 bytes compressed or 65 uncompressed. */
export const isPublicKey = implementation.isPublicKey

/** The 65-byte form of a public key in either form. Throws when `isPublicKey` is false. */
export const uncompressPublicKey = implementation.uncompressPublicKey

/**
 * The product of a private key and a public key in either form, 65 bytes uncompressed: what two parties have in common
 * (ECDH). Throws when one of them is none.
 */
export const sharedPoint = implementation.sharedPoint

function parityOf(recoveryId: number | undefined): 0 | 1 {
  if (recoveryId === 0 || recoveryId === 1) return recoveryId
  throw new Error('a signature with this recovery id has never been seen')
}
