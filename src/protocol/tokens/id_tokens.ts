import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { bytesFromBase64url } from '../tools/base64url.ts'
import type { JsonObject, JsonValue } from '../wire/json.ts'
import { jwtCharactersMax, unverifiedClaims } from './jwt.ts'

/** For an ID token in the compact form, or in base64 of that form. */
export const idTokenCharactersMax = Math.ceil((jwtCharactersMax * 4) / 3 / 4) * 4

/** One person, as one client of one issuer knows it. */
export type TokenSubject = {
  readonly issuer: string
  /** The client to which the token was issued. */
  readonly audience: string
  readonly subject: string
}

/** The key of one identity: a subject for one client at one issuer. */
export function oidcIdentityKey({ issuer, audience, subject }: TokenSubject): string {
  return JSON.stringify([issuer, audience, subject])
}

/**
 * Returns the account at the issuer, from the key of an identity. An issuer may tell several clients the same subject:
 * one account has all of these identities.
 */
export function accountOfIdentity(key: string): string {
  const [issuer, , subject]: readonly unknown[] = JSON.parse(key)
  return JSON.stringify([issuer, subject])
}

/** A fault in a token's claims. The message is a sentence part about the token. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
}

/** The reason why a token whose day is over is refused. */
export const tooOldReason = 'it is older than a day'

export const claimCharactersMax = 2_048
/** OpenID Connect Core 1.0, section 2. */
export const subjectCharactersMax = 255

/** Returns the compact form. Clients send it; the interface describes base64 of a token, which passes as well. */
export function compactToken(text: string): string {
  if (text.includes('.')) return text
  const decoded = Buffer.from(bytesFromBase64url(text) ?? []).toString('latin1')
  return decoded.includes('.') ? decoded : text
}

/**
 * Returns the id under which the use of a token is recorded: the SHA-256 of what its issuer signed, which is the header
 * and the claims (RFC 7515, section 5.2), in lower-case hex. The whole text would not do: it has other forms, and ECDSA
 * has another signature of the same content, which anybody can compute.
 */
export function idTokenId(token: string): string {
  const compact = compactToken(token)
  return bytesToHex(sha256(Buffer.from(compact.slice(0, compact.lastIndexOf('.')))))
}

/** Returns the unverified subject of a token, for a lookup. Undefined when the text is no ID token. */
export function unverifiedSubject(token: string): TokenSubject | undefined {
  const claims = unverifiedClaims(compactToken(token))
  try {
    return claims && subjectOf(claims)
  } catch (error) {
    if (error instanceof TokenError) return undefined
    throw error
  }
}

/** Returns the subject of a token. Throws `TokenError`. */
export function subjectOf(claims: JsonObject): TokenSubject {
  return {
    issuer: textClaim(claims, 'iss'),
    audience: audienceOf(claims),
    subject: textClaim(claims, 'sub', subjectCharactersMax),
  }
}

/** Returns the client to which the token was issued. If there are several audiences, `azp` names it. */
function audienceOf(claims: JsonObject): string {
  const audiences = audiencesOf(claims)
  const [only, another] = audiences
  if (only !== undefined && another === undefined) return only
  const party = textClaim(claims, 'azp')
  if (audiences.includes(party)) return party
  throw new TokenError('it has several audiences, and its azp is none of them')
}

const audiencesMax = 20

function audiencesOf(claims: JsonObject): readonly string[] {
  const { aud } = claims
  if (typeof aud === 'string') return [textClaim(claims, 'aud')]
  if (!Array.isArray(aud)) throw new TokenError('its aud must be a text or a list')
  if (aud.length > audiencesMax) throw new TokenError(`its aud must have at most ${audiencesMax} clients`)
  return aud.map((one: JsonValue) => textClaim({ aud: one }, 'aud'))
}

/**
 * Returns the clients that a token names: its audiences, and `azp`, the client that asked for it. A client must trust all
 * of them, because each may have the token (OpenID Connect Core 1.0, section 3.1.3.7, steps 3 to 5). Throws `TokenError`.
 */
export function clientsOf(claims: JsonObject): readonly string[] {
  const party = optionalText(claims, 'azp')
  return [...audiencesOf(claims), ...(party === undefined ? [] : [party])]
}

/** Returns a claim that is a text. Throws `TokenError` when it is missing, empty or too long. */
export function textClaim(claims: JsonObject, name: string, charactersMax = claimCharactersMax): string {
  const value = claims[name]
  if (typeof value === 'string' && value !== '' && value.length <= charactersMax) return value
  throw new TokenError(`its ${name} must be a text of 1 to ${charactersMax} characters`)
}

/** Some issuers write a claim that they have no value for as an empty text or as false. */
const emptyClaims: ReadonlySet<unknown> = new Set([undefined, null, '', false])

/** Returns a claim that is a text, or undefined where it is missing or empty. Throws `TokenError`. */
export function optionalText(claims: JsonObject, name: string): string | undefined {
  return emptyClaims.has(claims[name]) ? undefined : textClaim(claims, name)
}

/**
 * Whether a token is bound to a key: one of its nonces is the hex of the SHA-256 of the key's text, as clients compute
 * it. `publicKey` is lower-case hex.
 */
export function isBoundTo(
  publicKey: string,
  { nonce, tknonce }: { readonly nonce: string | undefined; readonly tknonce: string | undefined },
): boolean {
  const binding = bytesToHex(sha256(Buffer.from(publicKey)))
  return nonce === binding || tknonce === binding
}
