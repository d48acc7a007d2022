import { createPublicKey, type KeyObject } from 'node:crypto'
import { compressedP256 } from '../crypto/p256.ts'
import { base64urlOf } from '../tools/base64url.ts'
import { cborMap, cborOfMap } from './cbor.ts'

/** The signature algorithms of passkeys: ECDSA on P-256 and RSASSA-PKCS1-v1_5, both with SHA-256. */
export type CoseAlgorithm = 'ES256' | 'RS256'

export type CoseVerifyKey = { readonly algorithm: CoseAlgorithm; readonly key: KeyObject }

const pointBytes = 33
const rsaBitsMin = 2_048
const rsaBitsMax = 4_096
const rsaExponentBytesMax = 4

/** Labels and values of RFC 9053, 2.1 and 7.1.1, and of RFC 8230, 4; the algorithms' numbers are IANA's. */
const [keyType, algorithmLabel, curve, x, y, modulus, exponent] = [1, 3, -1, -2, -3, -1, -2]
const [ec2, rsa, es256, rs256, p256] = [2, 3, -7, -257, 1]

/**
 * Imports a COSE_Key in WebAuthn's form (Level 3, 6.5.1), which has its algorithm and no optional member. An ES256 key
 * is an uncompressed point on P-256. An RS256 key has an odd modulus of 2,048 to 4,096 bits and an odd exponent of 3 to
 * 2^32 - 1, both without leading zeros. Undefined for anything else.
 */
export function importCoseKey(bytes: Uint8Array): CoseVerifyKey | undefined {
  const key = cborMap(bytes)
  if (key === undefined) return undefined
  if (key.get(keyType) === ec2 && key.get(algorithmLabel) === es256) return p256Key(key)
  if (key.get(keyType) === rsa && key.get(algorithmLabel) === rs256) return rsaKey(key)
  return undefined
}

/**
 * Whether a key that `importCoseKey` imports is in the one form that authenticators must use (WebAuthn Level 3, 6.5.1;
 * CTAP 2.1, 8): with its members in order, and no float in place of an integer.
 */
export function isCanonicalCoseKey(bytes: Uint8Array): boolean {
  const key = cborMap(bytes)
  return key !== undefined && Buffer.from(cborOfMap(key)).equals(bytes)
}

/**
 * Returns a name of a public key in hex, which is a COSE_Key or the key of an API key. All forms of a key have the same
 * name: a key of P-256 that of its compressed point, a key of RSA that of its canonical COSE_Key.
 */
export const publicKeyName = (publicKeyHex: string): string => {
  // Shorter texts are points, as most are.
  if (publicKeyHex.length <= 2 * pointBytes) return publicKeyHex
  const bytes = Buffer.from(publicKeyHex, 'hex')
  const key = importCoseKey(bytes) === undefined ? undefined : cborMap(bytes)
  if (key === undefined) return publicKeyHex
  const [left, right] = [key.get(x), key.get(y)]
  const name = isBytes(left) && isBytes(right) ? compressedP256(Uint8Array.of(4, ...left, ...right)) : cborOfMap(key)
  return Buffer.from(name).toString('hex')
}

function p256Key(key: ReadonlyMap<unknown, unknown>): CoseVerifyKey | undefined {
  const [left, right] = [key.get(x), key.get(y)]
  if (key.size !== 5 || key.get(curve) !== p256 || !isBytes(left) || !isBytes(right)) return undefined
  if (left.length !== 32 || right.length !== 32) return undefined
  return imported('ES256', { kty: 'EC', crv: 'P-256', x: base64urlOf(left), y: base64urlOf(right) })
}

function rsaKey(key: ReadonlyMap<unknown, unknown>): CoseVerifyKey | undefined {
  const [n, e] = [key.get(modulus), key.get(exponent)]
  if (key.size !== 4 || !isBytes(n) || !isBytes(e)) return undefined
  const bits = bitLength(n)
  if (!isOdd(n) || bits < rsaBitsMin || bits > rsaBitsMax) return undefined
  if (!isOdd(e) || bitLength(e) < 2 || e.length > rsaExponentBytesMax) return undefined
  return imported('RS256', { kty: 'RSA', n: base64urlOf(n), e: base64urlOf(e) })
}

/** Imports a JWK; undefined when its point is not on the curve. */
function imported(algorithm: CoseAlgorithm, jwk: Readonly<Record<string, string>>): CoseVerifyKey | undefined {
  try {
    return { algorithm, key: createPublicKey({ key: jwk, format: 'jwk' }) }
  } catch {
    return undefined
  }
}

/** The bit length of a big-endian number; 0 for a number with leading zeros. */
function bitLength(bytes: Uint8Array): number {
  const [first = 0] = bytes
  return first === 0 ? 0 : bytes.length * 8 - (Math.clz32(first) - 24)
}

function isOdd(bytes: Uint8Array): boolean {
  return ((bytes.at(-1) ?? 0) & 1) === 1
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array
}
