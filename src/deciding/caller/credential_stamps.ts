import type { Attested } from '../../contract/records/activity.ts'
import { recordedKeyOf } from '../../contract/records/factors.ts'
import {
  type ApiKey,
  type Authenticator,
  type IssuedCredentialType,
  isExpired,
  type LookupName,
  recoveryCredentialType,
  type User,
} from '../../contract/records/records.ts'
import { type AuthenticationMethod, defaultSessionProfileId } from '../../policy/authentication_methods.ts'
import { type ApiVerifyKey, importApiPublicKey } from '../../protocol/stamps/api_keys.ts'
import { type ApiStamp, curveOfScheme, parseApiStamp, verifyApiStamp } from '../../protocol/stamps/api_stamps.ts'
import type { AllowedOrigins } from '../../protocol/stamps/webauthn_data.ts'
import {
  importAuthenticator,
  parseWebAuthnStamp,
  type VerifyAuthenticator,
  verifyWebAuthnStamp,
} from '../../protocol/stamps/webauthn_stamps.ts'
import type { VerificationClaims } from '../../protocol/tokens/tokens.ts'
import { base64urlOf } from '../../protocol/tools/base64url.ts'
import { onceFor } from '../../protocol/tools/once_for.ts'
import type { FailureCode } from '../../protocol/wire/failures.ts'

/** The way to find the user of a stamp. */
export type Search = {
  readonly lookup: LookupName
  readonly key: string
  /** Returns the proof of the user's credential that made the stamp. Undefined if the user has no such credential. */
  proofOf(user: User): Proof | undefined
}

/** A parsed stamp: how its user is found, and how that user's credential proves the request. */
export type Stamp = Search & {
  /**
   * The search in sub-organizations, if it differs. It may find any sub-organization, and a stranger may have made one.
   */
  readonly inSubOrganizations?: Search
  /** The search among the users who claim the key (`ApiKey`). It finds nobody in another organization than the named one. */
  readonly amongClaims?: Search
  /**
   * The verification by the credential of a stamp that a vote recorded, which no user need have any more. Undefined if that
   * is another credential. An attested stamp has none.
   */
  proofByRecorded?(recorded: RecordedStamp): Verification | undefined
  /** A verification token that the stamped activity uses up. */
  readonly uses?: VerificationClaims
  /** The id of an ID token (`idTokenId`) that the stamped activity uses up in the organization of its user. */
  readonly usesIdToken?: string
  readonly failures: { readonly notFound: FailureCode; readonly ambiguous: FailureCode; readonly invalid: FailureCode }
}

/** The verification of a stamp by one credential. */
export type Verification = {
  /** Whether the stamp covers exactly these bytes. `allowedOrigins` are those where passkeys may be used. */
  verify(body: Uint8Array, settings: { readonly allowedOrigins: () => AllowedOrigins }): Promise<boolean>
  /** Names the stamp and the key, if only these and the body decide `verify`. */
  readonly stampKey?: string
}

export type Proof = Verification & {
  isExpired(nowMs: number): boolean
  /** The profile of the session that the key belongs to. */
  readonly sessionProfileId?: string
  /** The type of a key that this server registered. Absent for the user's own key. */
  readonly credentialType?: IssuedCredentialType
  /** The authentication method that the stamp proves to MFA policies. */
  readonly method?: AuthenticationMethod
  /** The factor by which the session was opened, if the stamp is a session's. */
  readonly openedBy?: string
  /** The contact or identity that an attested stamp names. */
  readonly attested?: Attested
  /** Whether the stamp is of a session that the auth proxy opened. */
  readonly isOfAuthProxy?: true
  readonly recorded: RecordedStamp
}

/** The stamp as a vote records it. `publicKey` names the credential among those of the user, but for an attested stamp. */
export type RecordedStamp = { readonly publicKey: string; readonly signature: string; readonly scheme: string }

/** Reads `X-Stamp`, made with an API key. Throws STAMP_MALFORMED. */
export function readApiStamp(headerValue: string): Stamp {
  return searchOfApiStamp(parseApiStamp(headerValue))
}

/** Returns how the user of a stamp by an API key is found. */
export function searchOfApiStamp(stamp: ApiStamp): Stamp {
  const { publicKey, scheme, signatureHex } = stamp
  const curveType = curveOfScheme(scheme)
  const verificationBy = (key: VerifyingKey): Verification => ({
    verify: (body) => verifyApiStamp({ stamp, key: verifyKeyOf(key), body }),
    stampKey: `${scheme} ${publicKey} ${signatureHex}`,
  })
  const search = (isClaimed: true | undefined): Omit<Search, 'lookup'> => ({
    key: publicKey,
    proofOf(user) {
      const apiKey = user.apiKeys.find(
        (key) => key.publicKey === publicKey && key.curveType === curveType && key.isClaimed === isClaimed,
      )
      if (apiKey === undefined) return undefined
      return {
        ...verificationBy(apiKey),
        isExpired: (nowMs) => isExpired(apiKey, nowMs),
        ...(apiKey.sessionProfileId === undefined ? {} : { sessionProfileId: apiKey.sessionProfileId }),
        ...(apiKey.credentialType === undefined ? {} : { credentialType: apiKey.credentialType }),
        ...methodOf(apiKey),
        ...(apiKey.openedBy === undefined ? {} : { openedBy: apiKey.openedBy }),
        ...(apiKey.isOfAuthProxy === undefined ? {} : { isOfAuthProxy: apiKey.isOfAuthProxy }),
        recorded: { publicKey, signature: signatureHex, scheme },
      }
    },
  })
  return {
    ...{ lookup: 'credential', ...search(undefined) },
    amongClaims: { lookup: 'claimed_credential', ...search(true) },
    proofByRecorded: (recorded) =>
      recorded.publicKey === publicKey && recorded.scheme === scheme
        ? verificationBy({ publicKey, curveType })
        : undefined,
    failures: { notFound: 'CREDENTIAL_NOT_FOUND', ambiguous: 'CREDENTIAL_AMBIGUOUS', invalid: 'STAMP_INVALID' },
  }
}

/** The scheme that a vote records for a passkey. */
export const passkeyScheme = 'SIGNATURE_SCHEME_TK_WEBAUTHN'

/** The scheme that a vote records for an attested stamp. */
export const attestedScheme = 'SIGNATURE_SCHEME_TK_ATTESTED_P256'

/** Reads `X-Stamp-WebAuthn`, made with a passkey. Throws WEBAUTHN_STAMP_MALFORMED. */
export function readWebAuthnStamp(headerValue: string): Stamp {
  const stamp = parseWebAuthnStamp(headerValue)
  const verificationBy = (passkey: VerifyingPasskey): Verification => ({
    verify: async (body, settings) => {
      const allowedOrigins = settings.allowedOrigins()
      return verifyWebAuthnStamp({ stamp, authenticator: verifyAuthenticatorOf(passkey), body, allowedOrigins })
    },
  })
  return {
    lookup: 'authenticator',
    key: stamp.credentialId,
    failures: {
      notFound: 'AUTHENTICATOR_NOT_FOUND',
      ambiguous: 'AUTHENTICATOR_AMBIGUOUS',
      invalid: 'WEBAUTHN_STAMP_INVALID',
    },
    proofOf(user) {
      const registered = user.authenticators.find(({ credentialId }) => credentialId === stamp.credentialId)
      if (registered === undefined) return undefined
      return {
        ...verificationBy(registered),
        isExpired: () => false,
        method: { type: 'AUTHENTICATION_TYPE_PASSKEY', id: registered.authenticatorId },
        // The rest of the header holds what the signature covers, so the whole header is kept.
        recorded: {
          publicKey: recordedKeyOf(registered),
          signature: headerValue,
          scheme: passkeyScheme,
        },
      }
    },
    proofByRecorded({ publicKey, signature, scheme }) {
      if (scheme !== passkeyScheme) return undefined
      const { credentialId, authenticatorData } = parseWebAuthnStamp(signature)
      return verificationBy({
        credentialId,
        rpIdHash: base64urlOf(authenticatorData.rpIdHash),
        cosePublicKey: base64urlOf(Buffer.from(publicKey, 'hex')),
      })
    },
  }
}

/** The method that a key proves. A session does not prove the method that opened it. A recovery key proves nothing. */
export function methodOf({ apiKeyId, credentialType, sessionProfileId }: ApiKey): Pick<Proof, 'method'> {
  if (credentialType === undefined) return { method: { type: 'AUTHENTICATION_TYPE_API_KEY', id: apiKeyId } }
  if (credentialType === recoveryCredentialType) return {}
  return { method: { type: 'AUTHENTICATION_TYPE_SESSION', id: sessionProfileId ?? defaultSessionProfileId } }
}

export type StampKey = Pick<RecordedStamp, 'publicKey' | 'scheme'>

/**
 * The public key by which the credential of a stamp is looked up. Undefined for an attested stamp: whoever makes it
 * chooses its key, which may be that of an API key, a session or a link, and is the stamp of none of them.
 */
export function credentialKeyOf({ publicKey, scheme }: StampKey): string | undefined {
  return scheme === attestedScheme ? undefined : publicKey
}

/** The API key that stamped a request. Undefined for a passkey and an attested stamp. */
export function apiKeyOf({ user, stamp }: { readonly user: User; readonly stamp: StampKey }): ApiKey | undefined {
  const stampedBy = credentialKeyOf(stamp)
  return user.apiKeys.find(({ publicKey }) => publicKey === stampedBy)
}

/** Whether two stamps are of one credential, or attested by one key. */
export function isSameKey(one: StampKey, other: StampKey): boolean {
  return one.publicKey === other.publicKey && credentialKeyOf(one) === credentialKeyOf(other)
}

/** Whether the user still has the credential that a vote was stamped with. */
export function hasCredential(user: User, publicKey: string): boolean {
  return (
    user.apiKeys.some((apiKey) => apiKey.publicKey === publicKey) ||
    user.authenticators.some((authenticator) => recordedKeyOf(authenticator) === publicKey)
  )
}

/** Importing a key costs twice as much as verifying with it. A parsed user is cached, and the imported keys with it. */
const verifyKeyOf = onceFor((key: VerifyingKey): ApiVerifyKey => importApiPublicKey(key))
const verifyAuthenticatorOf = onceFor((passkey: VerifyingPasskey): VerifyAuthenticator => importAuthenticator(passkey))

type VerifyingKey = Pick<ApiKey, 'publicKey' | 'curveType'>
type VerifyingPasskey = Pick<Authenticator, 'credentialId' | 'rpIdHash' | 'cosePublicKey'>
