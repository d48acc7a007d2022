import { createPublicKey, type KeyObject } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { importP256PublicKey, p256Point } from '../crypto/p256.ts'
import { isPublicKey } from '../crypto/secp256k1.ts'

/** The curves of the interface's enum for API keys. */
export const apiKeyCurves = ['API_KEY_CURVE_P256', 'API_KEY_CURVE_SECP256K1', 'API_KEY_CURVE_ED25519'] as const
export type ApiKeyCurve = (typeof apiKeyCurves)[number]

/** An imported public key. Importing costs more than verifying, so a key is imported once and kept. */
export type ApiVerifyKey =
  | { readonly curveType: 'API_KEY_CURVE_P256' | 'API_KEY_CURVE_ED25519'; readonly key: KeyObject }
  | { readonly curveType: 'API_KEY_CURVE_SECP256K1'; readonly publicKey: Uint8Array }

type GivenKey = { readonly curveType: ApiKeyCurve; readonly publicKey: string }

/** The form of a public key in hex: a compressed point (SEC 1, 2.3.3), or the 32 bytes of RFC 8032, 5.1.5. */
export const publicKeyPatterns = {
  API_KEY_CURVE_P256: /^0[23][0-9a-f]{64}$/i,
  API_KEY_CURVE_SECP256K1: /^0[23][0-9a-f]{64}$/i,
  API_KEY_CURVE_ED25519: /^[0-9a-f]{64}$/i,
} as const satisfies Record<ApiKeyCurve, RegExp>

/**
 * Returns the key in lower-case hex if it is a point of its curve: 33 bytes compressed (SEC 1, 2.3.3), for Ed25519 the
 * 32 bytes of RFC 8032, 5.1.5, of a point of prime order. Undefined otherwise. A key of Ed25519 takes about a millisecond.
 */
export function parseApiPublicKey({ curveType, publicKey }: GivenKey): string | undefined {
  if (!publicKeyPatterns[curveType].test(publicKey)) return undefined
  const normalized = publicKey.toLowerCase()
  const bytes = Buffer.from(normalized, 'hex')
  switch (curveType) {
    case 'API_KEY_CURVE_P256':
      return p256Point(bytes) === undefined ? undefined : normalized
    case 'API_KEY_CURVE_SECP256K1':
      return isPublicKey(bytes) ? normalized : undefined
    case 'API_KEY_CURVE_ED25519':
      return isEd25519Key(bytes) ? normalized : undefined
  }
}

/** Imports a key that `parseApiPublicKey` accepted. */
export function importApiPublicKey({ curveType, publicKey }: GivenKey): ApiVerifyKey {
  const bytes = Buffer.from(publicKey, 'hex')
  switch (curveType) {
    case 'API_KEY_CURVE_SECP256K1':
      return { curveType, publicKey: bytes }
    case 'API_KEY_CURVE_P256':
      return { curveType, key: importP256PublicKey(bytes) }
    case 'API_KEY_CURVE_ED25519': {
      const x = bytes.toString('base64url')
      return { curveType, key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }) }
    }
  }
}

/**
 * Whether the bytes are a point of prime order. Under one of small order one signature fits several messages. Plus such a
 * point a key is another one, for which the same private key signs: it would be two factors.
 */
function isEd25519Key(bytes: Uint8Array): boolean {
  try {
    const point = ed25519.Point.fromBytes(bytes)
    return !point.isSmallOrder() && point.isTorsionFree()
  } catch {
    return false
  }
}
