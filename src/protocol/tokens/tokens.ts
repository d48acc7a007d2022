import type { SecretBytes } from '../crypto/secret_bytes.ts'
import type { Dialect } from '../wire/dialect.ts'
import type { JsonObject, JsonValue } from '../wire/json.ts'
import type { TokenKeyName } from './jwks.ts'
import { type ReadJwt, readJwt, signJwt, unverifiedClaims } from './jwt.ts'

/**
 * The two tokens of the interface. A token has the form of the dialect in which it was issued. Verification tokens are
 * read in both forms. No operation takes a session token.
 *
 * | | `spec` | `hosted` |
 * |---|---|---|
 * | verification token, `exp` | number, seconds (RFC 7519) | text, milliseconds |
 * | verification token, signature | ES256 | ES256 |
 * | session token, `exp` | number, seconds | number, seconds |
 * | session token, signature | ES256 | over the SHA-256 of the SHA-256 |
 * | both, `kid` in the header | the key's name | — |
 */

/** The claim of verify_otp: the holder of the private key of `publicKey` can read messages to `contact`. */
export type VerificationClaims = {
  /** The token's own id, under which it is used up. */
  readonly id: string
  readonly organizationId: string
  readonly verificationType: VerificationType
  readonly contact: string
  /** Compressed, hex, as the client sent it with the passcode. If absent, any holder of the token may use it. */
  readonly publicKey?: string
  /** When the auth proxy of the organization gave it out. It stamps nothing once that proxy is disabled. Absent: it did not. */
  readonly ofAuthProxyAtMs?: number
  /** When the code was sent by which the contact was proved. Absent in tokens from before it was said. */
  readonly codeSentAtMs?: number
  readonly expiresAtMs: number
}

export const verificationTypes = ['OTP_TYPE_EMAIL', 'OTP_TYPE_SMS', 'OTP_TYPE_WHATSAPP'] as const
export type VerificationType = (typeof verificationTypes)[number]

/** The facts about a session that a login tells the client. They grant nothing. */
export type SessionClaims = {
  /** Compressed, hex. */
  readonly publicKey: string
  /** `SESSION_TYPE_READ_WRITE`, `SESSION_TYPE_READ_ONLY`, or the name of a session profile. */
  readonly sessionType: string
  readonly userId: string
  readonly organizationId: string
  readonly sessionProfileId?: string
  readonly scope?: string
  /** The token holds whole seconds; the rest is dropped. */
  readonly expiresAtMs: number
}

type Signing<Claims> = {
  readonly claims: Claims
  readonly dialect: Dialect
  readonly signingSecret: SecretBytes
}

/** `signingSecret` is `tlsFetcherSigning`. */
export function signVerificationToken({ claims, dialect, signingSecret }: Signing<VerificationClaims>): string {
  const { id, organizationId, verificationType, contact, publicKey, ofAuthProxyAtMs, codeSentAtMs, expiresAtMs } =
    claims
  return signJwt({
    claims: {
      exp: dialect === 'spec' ? secondsOf(expiresAtMs) : String(expiresAtMs),
      id,
      organization_id: organizationId,
      verification_type: verificationType,
      contact,
      ...(publicKey === undefined ? {} : { public_key: publicKey }),
      ...(ofAuthProxyAtMs === undefined ? {} : { auth_proxy: ofAuthProxyAtMs }),
      ...(codeSentAtMs === undefined ? {} : { code_sent_at: codeSentAtMs }),
    },
    signingSecret,
    hash: 'standard',
    ...keyIdIn(dialect, 'tlsFetcherSigning'),
  })
}

/** Returns the unverified id of a token, to look up whether it was used. Undefined when the text is no such token. */
export function unverifiedTokenId(token: string): string | undefined {
  const id = unverifiedClaims(token)?.id
  return isText(id) ? id : undefined
}

/** Returns the unverified contact of a token, to look up who has it. */
export function unverifiedContact(token: string): Pick<VerificationClaims, 'verificationType' | 'contact'> | undefined {
  const { verification_type, contact } = unverifiedClaims(token) ?? {}
  const verificationType = verificationTypes.find((type) => type === verification_type)
  return verificationType === undefined || !isText(contact) ? undefined : { verificationType, contact }
}

type PresentedToken = {
  readonly token: string
  /** A point of P-256 in either form. */
  readonly publicKey: Uint8Array
  readonly nowMs: number
}

/** `publicKey` is `tlsFetcherSigning`. The caller checks whether the token was used before. */
export function readVerificationToken({ token, publicKey, nowMs }: PresentedToken): ReadJwt<VerificationClaims> {
  const read = readJwt({ token, publicKey })
  if (read.kind === 'invalid') return read
  const claims = verificationClaims(read.claims)
  if (claims === undefined) return { kind: 'invalid', reason: 'the token is no verification token' }
  // RFC 7519, 4.1.4: a token is expired at its `exp`, not only after it.
  return nowMs < claims.expiresAtMs ? { kind: 'valid', claims } : { kind: 'invalid', reason: 'the token has expired' }
}

/** `signingSecret` is `sessionSigning`. */
export function signSessionToken({ claims, dialect, signingSecret }: Signing<SessionClaims>): string {
  const { publicKey, sessionType, userId, organizationId, sessionProfileId, scope, expiresAtMs } = claims
  return signJwt({
    claims: {
      exp: secondsOf(expiresAtMs),
      public_key: publicKey,
      session_type: sessionType,
      user_id: userId,
      organization_id: organizationId,
      ...(sessionProfileId === undefined ? {} : { session_profile_id: sessionProfileId }),
      ...(scope === undefined ? {} : { scope }),
    },
    signingSecret,
    hash: dialect === 'spec' ? 'standard' : 'double',
    ...keyIdIn(dialect, 'sessionSigning'),
  })
}

/** No library verifies the tokens of `hosted` with a list of keys, so they name none. */
function keyIdIn(dialect: Dialect, keyId: TokenKeyName): { readonly keyId?: TokenKeyName } {
  return dialect === 'spec' ? { keyId } : {}
}

function verificationClaims(claims: JsonObject): VerificationClaims | undefined {
  const { exp, id, organization_id, verification_type, contact, public_key, auth_proxy, code_sent_at } = claims
  const expiresAtMs = typeof exp === 'string' ? millisecondsOf(exp) : millisecondsOfSeconds(exp)
  const verificationType = verificationTypes.find((type) => type === verification_type)
  if (expiresAtMs === undefined || verificationType === undefined) return undefined
  if (!isText(id) || !isText(organization_id) || !isText(contact)) return undefined
  if (public_key !== undefined && !isText(public_key)) return undefined
  if (![auth_proxy, code_sent_at].every(isTimeOrAbsent)) return undefined
  return {
    id,
    organizationId: organization_id,
    verificationType,
    contact,
    ...(public_key === undefined ? {} : { publicKey: public_key }),
    ...(typeof auth_proxy === 'number' ? { ofAuthProxyAtMs: auth_proxy } : {}),
    ...(typeof code_sent_at === 'number' ? { codeSentAtMs: code_sent_at } : {}),
    expiresAtMs,
  }
}

function isTimeOrAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || (typeof value === 'number' && Number.isSafeInteger(value))
}

function secondsOf(timeMs: number): number {
  return Math.floor(timeMs / 1_000)
}

function millisecondsOf(text: string): number | undefined {
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined
}

function millisecondsOfSeconds(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value * 1_000) ? value * 1_000 : undefined
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== ''
}
