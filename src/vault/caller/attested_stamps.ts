import { codeSentAtMsOf } from '../../contract/records/contact_times.ts'
import type { Lookup, User } from '../../contract/records/records.ts'
import { isProvedBy } from '../../deciding/caller/attested_users.ts'
import { attestedScheme, type Stamp } from '../../deciding/caller/credential_stamps.ts'
import { contactLookup, verifiedContactLookup } from '../../operations/sessions/shared/verification_tokens.ts'
import type { AuthenticationMethod } from '../../policy/authentication_methods.ts'
import { ecdsaSignatureFromDer } from '../../protocol/crypto/der.ts'
import { p256Point, p256PublicPoint, verifyP256Sha256 } from '../../protocol/crypto/p256.ts'
import { stampMembers } from '../../protocol/stamps/stamp_headers.ts'
import { idTokenId, isBoundTo, oidcIdentityKey } from '../../protocol/tokens/id_tokens.ts'
import { jwtCharactersMax } from '../../protocol/tokens/jwt.ts'
import { readVerificationToken } from '../../protocol/tokens/tokens.ts'
import { bytesFromBase64url } from '../../protocol/tools/base64url.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { p256Secret } from '../keys/published_keys.ts'
import type { VaultServices } from '../state/vault_services.ts'

const headerCharactersMax = 2 * jwtCharactersMax
const dayMs = 24 * 60 * 60 * 1_000

type TokenServices = Pick<VaultServices, 'seals' | 'verifyOidcToken'>

/**
 * Reads `X-Stamp-Attested`: a key of the client, and a token that says whose key it is. The token is a verification token
 * of this server or an ID token of an OIDC issuer, used up by the stamped activity. The header is JSON, or
 * base64url of it, with `publicKeyAttestation`, `scheme`, `publicKey` and `signature`. Throws ATTESTATION_INVALID.
 */
export async function readAttestedStamp(headerValue: string, services: TokenServices, nowMs: number): Promise<Stamp> {
  const { publicKeyAttestation, scheme, publicKey: given, signature } = membersOf(headerValue)
  const publicKey = given.toLowerCase()
  const point = /^0[23][0-9a-f]{64}$/.test(publicKey) ? p256Point(Buffer.from(publicKey, 'hex')) : undefined
  const rs = /^([0-9a-f]{2}){8,80}$/i.test(signature) ? ecdsaSignatureFromDer(Buffer.from(signature, 'hex')) : undefined
  if (point === undefined || rs === undefined) {
    throw invalid('publicKey must be a compressed point of P-256 in hex, and signature DER in hex')
  }
  const proof = {
    verify: async (body: Uint8Array) => verifyP256Sha256({ signature: rs, message: body, publicKey: point }),
    isExpired: () => false,
    recorded: { publicKey, signature, scheme: attestedScheme },
  }
  const about = await aboutWhom({ scheme, token: publicKeyAttestation, publicKey }, services, nowMs)
  const search = ({ lookup, key }: Lookup) => ({
    lookup,
    key,
    proofOf(user: User) {
      const attested = { lookup, key, tooOldAtMs: about.tooOldAtMs }
      return isProvedBy(user, { lookup, key, codeSentAtMs: about.codeSentAtMs })
        ? { ...proof, method: about.methodOf(user), attested }
        : undefined
    },
  })
  return {
    ...search(about.own),
    inSubOrganizations: search(about.inSubOrganizations),
    ...(about.uses === undefined ? {} : { uses: about.uses }),
    ...(about.usesIdToken === undefined ? {} : { usesIdToken: about.usesIdToken }),
    failures: {
      notFound: 'USER_NOT_FOUND_BY_ATTESTATION',
      ambiguous: 'USER_AMBIGUOUS_BY_ATTESTATION',
      invalid: 'STAMP_INVALID',
    },
  }
}

type Attestation = { readonly scheme: string; readonly token: string; readonly publicKey: string }
type About = Pick<Stamp, 'uses' | 'usesIdToken'> & {
  readonly own: Lookup
  readonly inSubOrganizations: Lookup
  readonly tooOldAtMs: number
  /** For a contact: when the code was sent. */
  readonly codeSentAtMs?: number
  /** The authentication method that the attestation proves for this user. */
  methodOf(user: User): AuthenticationMethod
}

function aboutWhom(attestation: Attestation, services: TokenServices, nowMs: number): About | Promise<About> {
  switch (attestation.scheme) {
    case 'STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN':
      return byContact(attestation, services, nowMs)
    case 'STAMP_ATTESTED_SCHEME_P256_OIDC':
      return byIdentity(attestation, services, nowMs)
    default:
      throw invalid(`${attestation.scheme.slice(0, 100)} is no scheme of an attested stamp`)
  }
}

function byContact({ token, publicKey }: Attestation, { seals }: TokenServices, nowMs: number): About {
  using signing = p256Secret(seals, 'tlsFetcherSigning')
  const read = readVerificationToken({ token, publicKey: p256PublicPoint(signing), nowMs })
  if (read.kind === 'invalid') throw invalid(read.reason)
  const { claims } = read
  if (claims.publicKey?.toLowerCase() !== publicKey) throw invalid('the token names another key')
  const isMail = claims.verificationType === 'OTP_TYPE_EMAIL'
  return {
    own: contactLookup(claims),
    inSubOrganizations: verifiedContactLookup(claims),
    uses: claims,
    tooOldAtMs: nowMs + dayMs,
    codeSentAtMs: codeSentAtMsOf(claims),
    methodOf: () => ({ type: isMail ? 'AUTHENTICATION_TYPE_EMAIL_OTP' : 'AUTHENTICATION_TYPE_SMS_OTP' }),
  }
}

async function byIdentity({ token, publicKey }: Attestation, services: TokenServices, nowMs: number): Promise<About> {
  const identity = await services.verifyOidcToken({ token, nowMs }).catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'OIDC_TOKEN_INVALID') throw invalid(error.message)
    throw error
  })
  if (!isBoundTo(publicKey, identity)) throw invalid('the nonce of the token is not of this key')
  const own = { lookup: 'oidc_identity', key: oidcIdentityKey(identity) } as const
  const providerOf = ({ oauthProviders }: User) =>
    oauthProviders.find((provider) => oidcIdentityKey(provider) === own.key)?.providerId
  return {
    own,
    inSubOrganizations: own,
    usesIdToken: idTokenId(token),
    tooOldAtMs: identity.tooOldAtMs,
    methodOf(user) {
      const id = providerOf(user)
      return { type: 'AUTHENTICATION_TYPE_OAUTH', ...(id === undefined ? {} : { id }) }
    },
  }
}

function membersOf(headerValue: string) {
  if (headerValue.length > headerCharactersMax) throw invalid(`it is longer than ${headerCharactersMax} characters`)
  const json = headerValue.startsWith('{') ? Buffer.from(headerValue) : bytesFromBase64url(headerValue)
  if (json === undefined) throw invalid('it must be JSON or base64url of it')
  return stampMembers(json, ['publicKeyAttestation', 'scheme', 'publicKey', 'signature'], invalid)
}

function invalid(reason: string): Failure {
  return new Failure('ATTESTATION_INVALID', reason)
}
