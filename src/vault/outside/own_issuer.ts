import type { IdTokenClaims } from '../../contract/keys.ts'
import { p256PublicPoint } from '../../protocol/crypto/p256.ts'
import { es256Jwk } from '../../protocol/tokens/jwks.ts'
import { signJwt } from '../../protocol/tokens/jwt.ts'
import { p256Secret } from '../keys/published_keys.ts'
import type { Seals } from '../keys/seal.ts'
import { type IssuerKeys, issuerKeysOf } from './issuer_keys.ts'

/** This server as an issuer of ID tokens, for users of providers that give none. */

const keyName = 'tlsFetcherSigning'
const lifetimeSeconds = 900

/** Signs an ID token with ES256, valid for a quarter of an hour. `issuer` is the public URL of this server. */
export function signIdToken(
  seals: Seals,
  { audience, subject, nonce, encryptedBearerToken }: IdTokenClaims,
  { issuer, nowMs }: { readonly issuer: string; readonly nowMs: number },
): string {
  using signingSecret = p256Secret(seals, keyName)
  const iat = Math.floor(nowMs / 1_000)
  const claims = { iss: issuer, aud: audience, sub: subject, iat, exp: iat + lifetimeSeconds, nonce }
  const bearer = encryptedBearerToken === undefined ? {} : { encrypted_bearer_token: encryptedBearerToken }
  return signJwt({ claims: { ...claims, ...bearer }, signingSecret, hash: 'standard', keyId: keyName })
}

/** Returns the keys that verify these tokens, so that nothing is fetched for them. */
export function ownIssuerKeys(seals: Seals): IssuerKeys {
  using signingSecret = p256Secret(seals, keyName)
  return issuerKeysOf({ keys: [es256Jwk(p256PublicPoint(signingSecret), keyName)] }, ['ES256'])
}
