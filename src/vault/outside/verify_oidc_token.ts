import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { JOSEError, JWKSNoMatchingKey, JWSSignatureVerificationFailed, JWTClaimValidationFailed } from 'jose/errors'
import { jwtVerify } from 'jose/jwt/verify'
import type { OidcIdentity, OidcToken } from '../../contract/oidc.ts'
import {
  clientsOf,
  compactToken,
  optionalText,
  subjectOf,
  TokenError,
  textClaim,
  tooOldReason,
} from '../../protocol/tokens/id_tokens.ts'
import { jwtCharactersMax, unverifiedClaims, unverifiedHeader } from '../../protocol/tokens/jwt.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { JsonObject } from '../../protocol/wire/json.ts'
import { type IssuerKeySource, type IssuerKeys, tokenAlgorithms } from './issuer_keys.ts'

const skewSeconds = 60
/** How long after its `iat` a token is accepted at most. The use of a token is remembered for longer. */
const tokenSecondsMax = 24 * 60 * 60

/** Returns the claims of a token after it has verified that the issuer signed them. */
export type VerifyOidcToken = (
  request: OidcToken & {
    /** The time of the decision, by which the age of kept keys is judged. */
    readonly nowMs: number
    /** The time at which the token has to be valid. Without it: `nowMs`. */
    readonly validAtMs?: number
  },
) => Promise<OidcIdentity>

type Issuers = {
  /** The accepted issuers, exactly as tokens name them in `iss`. */
  readonly issuers: readonly string[]
  /** The clients for which the accepted issuers may issue tokens. If empty: any client. */
  readonly audiences?: readonly string[]
  readonly issuerKeys: IssuerKeySource
  /** This server as an issuer. Its keys are here, so nothing is fetched for its tokens. */
  readonly own?: { readonly issuer: string; readonly keys: IssuerKeys }
}

/**
 * Verifies ID tokens (OpenID Connect Core 1.0, section 3.1.3.7). The caller must compare the nonce, and also the
 * audience if `audiences` is empty. The server's own tokens are for clients of organizations, which no setting lists,
 * so their audience is not checked here. Throws OIDC_TOKEN_INVALID, or UNAVAILABLE when the issuer's keys cannot be
 * fetched.
 */
export function createVerifyOidcToken({ issuers, audiences = [], issuerKeys, own }: Issuers): VerifyOidcToken {
  return async function verifyOidcToken({ token, nowMs, validAtMs = nowMs, fieldPath }) {
    try {
      const compact = compactToken(token)
      const claims = claimsOf(compact)
      const issuer = textClaim(claims, 'iss')
      const verify = (keys: IssuerKeys) => verifyWith(compact, { issuer, keys, validAtMs })
      if (issuer === own?.issuer) {
        await verify(own.keys)
        return identityOf(claims, validAtMs)
      }
      if (!issuers.includes(issuer)) {
        throw new TokenError(
          `the issuer ${quoted(issuer)} is not in CLAVIGER_OIDC_ISSUERS, which names ${namedBeside(issuer, issuers)}`,
        )
      }
      requireAudience(claims, audiences)
      const { keys, isKept } = await issuerKeys.current(issuer, nowMs)
      await verify(keys).catch(async (error: unknown) => {
        const renewed = isKept && mayBeOfNewKey(error) && (await issuerKeys.renewed(issuer, nowMs))
        if (!renewed) throw error
        await verify(renewed)
      })
      return identityOf(claims, validAtMs)
    } catch (cause) {
      if (cause instanceof Failure) throw cause
      throw new Failure('OIDC_TOKEN_INVALID', {
        reason: reasonOf(cause),
        ...(fieldPath === undefined ? {} : { fieldPath }),
        cause,
      })
    }
  }
}

/** Names the accepted issuers. They are exact (OpenID Connect Core, 3.1.3.7): some end with a slash. */
function namedBeside(issuer: string, issuers: readonly string[]): string {
  const other = issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`
  return issuers.includes(other) ? `${quoted(other)}: the slash at the end counts` : 'those accepted'
}

/** Returns the unverified claims of a token. Checks the token's form before anything is fetched for it. */
function claimsOf(token: string): JsonObject {
  if (token.length > jwtCharactersMax) throw new TokenError(`it is longer than ${jwtCharactersMax} characters`)
  const { alg, typ = 'JWT' } = decodeProtectedHeader(token)
  if (!tokenAlgorithms.includes(alg ?? '')) throw new TokenError(`its alg must be one of ${tokenAlgorithms.join(', ')}`)
  // RFC 8725, section 3.11: an access token or a logout token (at+jwt, logout+jwt) of the same issuer logs nobody in.
  if (String(typ).toUpperCase() !== 'JWT') throw new TokenError('its typ must be JWT, if it has one')
  // jose reads both again, and of a member that is there twice the last one.
  if (unverifiedHeader(token) === undefined) {
    throw new TokenError('its header must be one JSON object, with nothing in it twice')
  }
  const claims = unverifiedClaims(token)
  if (claims === undefined) throw new TokenError('its claims must be one JSON object, with nothing in it twice')
  // jose takes fractions and 1e400, and has one message for a time that is missing and for what is no time.
  for (const name of ['exp', 'iat', 'nbf'] as const) if (claims[name] !== undefined) timeClaim(claims, name)
  return claims
}

function requireAudience(claims: JsonObject, audiences: readonly string[]): void {
  const clients = clientsOf(claims)
  const stranger = clients.find((client) => !audiences.includes(client))
  if (audiences.length === 0 || stranger === undefined) return
  throw new TokenError(`the client ${quoted(stranger)} is not in CLAVIGER_OIDC_AUDIENCES, which names those accepted`)
}

async function verifyWith(
  token: string,
  { issuer, keys, validAtMs }: { readonly issuer: string; readonly keys: IssuerKeys; readonly validAtMs: number },
): Promise<void> {
  await jwtVerify(token, keys.keyOf, {
    algorithms: [...keys.algorithms],
    issuer,
    currentDate: new Date(validAtMs),
    clockTolerance: skewSeconds,
    requiredClaims: ['sub', 'aud', 'exp', 'iat'],
  })
}

function identityOf(claims: JsonObject, validAtMs: number): OidcIdentity {
  const { email_verified: emailVerified } = claims
  const iat = timeClaim(claims, 'iat')
  const hostedDomain = optionalText(claims, 'hd')
  const validAt = validAtMs / 1_000
  if (iat > validAt + skewSeconds) throw new TokenError('its iat is in the future')
  const tooOldAtMs = (iat + tokenSecondsMax + skewSeconds) * 1_000
  if (tooOldAtMs <= validAtMs) throw new TokenError(tooOldReason)
  return {
    ...subjectOf(claims),
    email: optionalText(claims, 'email'),
    emailVerified: emailVerified === true || emailVerified === 'true', // Apple sends text
    ...(hostedDomain === undefined ? {} : { hostedDomain }),
    nonce: optionalText(claims, 'nonce'),
    tknonce: optionalText(claims, 'tknonce'),
    tooOldAtMs,
  }
}

/** Returns a NumericDate (RFC 7519, section 2) in whole seconds. JSON has numbers without an end, as 1e400. */
function timeClaim(claims: JsonObject, name: 'exp' | 'iat' | 'nbf'): number {
  const value = claims[name]
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new TokenError(`its ${name} must be a time in whole seconds`)
}

const reasons: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'it has expired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature does not verify',
  ERR_JWKS_NO_MATCHING_KEY: 'its issuer has no key of that kid and alg',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'its kid does not say which key of its issuer signed it',
  ERR_JOSE_ALG_NOT_ALLOWED: 'its issuer does not offer its alg',
}

function reasonOf(error: unknown): string {
  if (error instanceof TokenError) return error.message
  if (error instanceof JWTClaimValidationFailed) return `its ${error.claim} is missing or not acceptable`
  const reason = error instanceof JOSEError ? reasons[error.code] : undefined
  return reason ?? 'it is no signed JWT that can be verified'
}

/** The issuer may have a new key, also under the name of an older one. */
function mayBeOfNewKey(error: unknown): boolean {
  return error instanceof JWKSNoMatchingKey || error instanceof JWSSignatureVerificationFailed
}

function quoted(value: string): string {
  return JSON.stringify(value.slice(0, 200))
}
