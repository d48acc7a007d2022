import { createHash } from 'node:crypto'
import { ecdsaSignatureFromDer } from '../crypto/der.ts'
import { keccak256 } from '../crypto/keccak.ts'
import { verifyEcdsa } from '../crypto/secp256k1.ts'
import { bytesFromBase64url } from '../tools/base64url.ts'
import { type ApiKeyCurve, type ApiVerifyKey, publicKeyPatterns } from './api_keys.ts'
import { malformedStamp, stampCharactersMax, stampMembers } from './stamp_headers.ts'
import { verifySignature } from './verify_signature.ts'

type StampMembers = Readonly<Record<'publicKey' | 'scheme' | 'signature', string>>

/** The curve on which each scheme of `X-Stamp` signs. */
const schemes = {
  SIGNATURE_SCHEME_TK_API_P256: 'API_KEY_CURVE_P256',
  SIGNATURE_SCHEME_TK_API_SECP256K1: 'API_KEY_CURVE_SECP256K1',
  SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191: 'API_KEY_CURVE_SECP256K1',
  SIGNATURE_SCHEME_TK_API_ED25519: 'API_KEY_CURVE_ED25519',
} as const satisfies Record<string, ApiKeyCurve>

/** The schemes that `X-Stamp` may carry. */
export type ApiStampScheme = keyof typeof schemes

/** A well-formed `X-Stamp` header. Its signature is not verified yet, and its key may be unknown. */
export type ApiStamp = {
  /** Lower-case hex. */
  readonly publicKey: string
  readonly scheme: ApiStampScheme
  /** 64 bytes: r‖s, or an Ed25519 signature. */
  readonly signature: Uint8Array
  /** The signature as it was sent, which votes show. */
  readonly signatureHex: string
}

/**
 * Reads an `X-Stamp` header: base64url of a JSON object with exactly `publicKey`, `scheme` and `signature`. Padding and
 * the standard alphabet pass. Throws STAMP_MALFORMED.
 */
export function parseApiStamp(headerValue: string): ApiStamp {
  return apiStampOf(members(headerValue))
}

/** Reads the members of such a header. Throws STAMP_MALFORMED. */
export function apiStampOf({ publicKey, scheme, signature }: StampMembers): ApiStamp {
  if (!isScheme(scheme)) throw malformedStamp(`scheme must be one of ${Object.keys(schemes).join(', ')}`)
  const curve = curveOfScheme(scheme)
  if (!publicKeyPatterns[curve].test(publicKey))
    throw malformedStamp('publicKey must be a compressed public key in hex')
  if (!/^([0-9a-f]{2}){1,128}$/i.test(signature)) throw malformedStamp('signature must be hex')
  const bytes = Buffer.from(signature, 'hex')
  const parsed = curve === 'API_KEY_CURVE_ED25519' ? bytes : ecdsaSignatureFromDer(bytes)
  if (parsed?.length !== 64) throw malformedStamp('signature is not of the form that its scheme has')
  return { publicKey: publicKey.toLowerCase(), scheme, signature: parsed, signatureHex: signature }
}

export function curveOfScheme(scheme: ApiStampScheme): ApiKeyCurve {
  return schemes[scheme]
}

type StampToVerify = {
  readonly stamp: ApiStamp
  readonly key: ApiVerifyKey
  readonly body: Uint8Array
}

/** Whether the key that the caller found for `stamp.publicKey` signed exactly these bytes. */
export async function verifyApiStamp({ stamp, key, body }: StampToVerify): Promise<boolean> {
  if (schemes[stamp.scheme] !== key.curveType) return false
  switch (key.curveType) {
    case 'API_KEY_CURVE_P256':
      return verifySignature('sha256', body, key.key, stamp.signature)
    case 'API_KEY_CURVE_ED25519':
      return verifySignature(null, body, key.key, stamp.signature)
    case 'API_KEY_CURVE_SECP256K1':
      return verifyEcdsa(stamp.signature, digestFor(stamp.scheme, body), key.publicKey)
  }
}

function digestFor(scheme: ApiStampScheme, body: Uint8Array): Uint8Array {
  if (scheme !== 'SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191') return createHash('sha256').update(body).digest()
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${body.length}`)
  return keccak256(Buffer.concat([prefix, body]))
}

function members(headerValue: string): StampMembers {
  if (headerValue.length > stampCharactersMax)
    throw malformedStamp(`it is longer than ${stampCharactersMax} characters`)
  const json = bytesFromBase64url(headerValue)
  if (json === undefined) throw malformedStamp('it must be base64url')
  return stampMembers(json, ['publicKey', 'scheme', 'signature'])
}

function isScheme(scheme: string): scheme is ApiStampScheme {
  return Object.hasOwn(schemes, scheme)
}
