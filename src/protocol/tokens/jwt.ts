import { sha256 } from '@noble/hashes/sha2.js'
import { signP256Sha256, verifyP256Sha256 } from '../crypto/p256.ts'
import type { SecretBytes } from '../crypto/secret_bytes.ts'
import { base64urlOf } from '../tools/base64url.ts'
import { type JsonObject, jsonObjectIn } from '../wire/json.ts'

/**
 * The hash that ECDSA on P-256 signs. `standard` is ES256 (RFC 7518, 3.4), over the SHA-256 of header and payload.
 * `double` is over the SHA-256 of that hash, which the clients' verifier of sessions requires.
 */
export type JwtHash = 'standard' | 'double'

type JwtToSign = {
  readonly claims: JsonObject
  readonly signingSecret: SecretBytes
  readonly hash: JwtHash
  readonly keyId?: string
}

/**
 * Returns a JSON Web Token (RFC 7519) in the compact form. The payload is ASCII and its base64url has neither `-` nor
 * `_`, because some clients decode it with `atob` or drop these two first. `keyId` is the header's `kid`, by which a
 * verifier picks the key from a list.
 */
export function signJwt({ claims, signingSecret, hash, keyId }: JwtToSign): string {
  const header = keyId === undefined ? { alg: 'ES256', typ: 'JWT' } : { alg: 'ES256', kid: keyId, typ: 'JWT' }
  const input = [header, claims].map((part) => base64urlOf(Buffer.from(plainJson(part)))).join('.')
  const bytes = Buffer.from(input)
  const signature = signP256Sha256(hash === 'standard' ? bytes : sha256(bytes), signingSecret)
  return `${input}.${base64urlOf(signature)}`
}

/** `reason` is a sentence for the caller of a request: `the token …`. */
export type ReadJwt<Claims> =
  | { readonly kind: 'valid'; readonly claims: Claims }
  | { readonly kind: 'invalid'; readonly reason: string }

/** For one token. Tokens made here have some 600 characters, more if a session has a long scope. */
export const jwtCharactersMax = 16_384

/**
 * Returns the claims of a token that `publicKey` signed with the `standard` hash. Strict: three parts of base64url
 * without padding; a header with exactly `alg` ES256 and `typ` JWT and perhaps `kid`; a payload that is one JSON object
 * with no member twice. The caller checks the claims, `exp` included.
 */
export function readJwt({
  token,
  publicKey,
}: {
  readonly token: string
  /** A point of P-256 in either form. */
  readonly publicKey: Uint8Array
}): ReadJwt<JsonObject> {
  if (token.length > jwtCharactersMax) return invalid(`has more than ${jwtCharactersMax} characters`)
  const parts = token.split('.')
  const [header, payload, signature] = parts.map(bytesOfBase64url)
  if (parts.length !== 3 || header === undefined || payload === undefined || signature?.length !== 64) {
    return invalid('is not a JSON Web Token: three parts of base64url, the last one of 64 bytes')
  }
  if (!isHeader(jsonObjectIn(header))) return invalid('must have the header {"alg":"ES256","typ":"JWT"}')
  const message = Buffer.from(token.slice(0, token.lastIndexOf('.')))
  if (!verifyP256Sha256({ signature, message, publicKey })) return invalid('was not signed by this server')
  const claims = jsonObjectIn(payload)
  return claims === undefined ? invalid('must carry one JSON object') : { kind: 'valid', claims }
}

/** Returns the claims of a token without verifying it; undefined when its payload is no JSON object. */
export function unverifiedClaims(token: string): JsonObject | undefined {
  return unverifiedPart(token, 1)
}

/** Returns the header of a token without verifying it; undefined when it is no JSON object with each member once. */
export function unverifiedHeader(token: string): JsonObject | undefined {
  return unverifiedPart(token, 0)
}

function unverifiedPart(token: string, index: 0 | 1): JsonObject | undefined {
  const part = token.length > jwtCharactersMax ? undefined : bytesOfBase64url(token.split('.')[index] ?? '')
  return part && jsonObjectIn(part)
}

/** In ASCII text only these four characters lead to base64url's `-` and `_` (62 and 63), at the end of three bytes. */
const escapedCharacters = /[>?~\u007f-\uffff]/g

/** JSON with these characters, and all that is not ASCII, as escapes. They occur in strings only. */
function plainJson(value: JsonObject): string {
  return JSON.stringify(value).replace(
    escapedCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Returns the bytes; undefined unless the text is their one base64url form (RFC 4648, 5 and 3.5). */
function bytesOfBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.length > 0 && bytes.toString('base64url') === text ? bytes : undefined
}

function isHeader(header: JsonObject | undefined): boolean {
  const { alg, typ, kid, ...others } = header ?? {}
  const hasKeyId = kid === undefined || typeof kid === 'string'
  return alg === 'ES256' && typ === 'JWT' && hasKeyId && Object.keys(others).length === 0
}

function invalid(reason: string): { readonly kind: 'invalid'; readonly reason: string } {
  return { kind: 'invalid', reason: `the token ${reason}` }
}
