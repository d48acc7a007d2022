import type { IpAllowlist } from '../../../policy/ip_allowlist.ts'
import type { ApiKeyCurve } from '../../../protocol/stamps/api_keys.ts'
import type { AuthenticatorTransport } from '../../../protocol/stamps/webauthn.ts'
import type { LinkBasis } from './invitation_record_types.ts'
import type { Times } from './record_times.ts'

export type ApiKey = Times & {
  readonly apiKeyId: string
  readonly apiKeyName: string
  /** Lower-case hex: a compressed point, or 32 bytes for Ed25519. Unique within the organization. */
  readonly publicKey: string
  readonly curveType: ApiKeyCurve
  /** How the server registered the key. Absent: the user added it by hand. */
  readonly credentialType?: IssuedCredentialType
  readonly sessionProfileId?: string
  /**
   * The factor by which the login of a session proved itself, as `factorOf` of `policy/mfa.ts` names it. Absent for
   * sessions that are older than this member.
   */
  readonly openedBy?: string
  /**
   * On a session that a code opened, or a session of such a one: the contact to which the code was sent, a `mailboxOf` or a
   * phone number. The session ends when its user loses that contact. Sessions that are older than this member lack it.
   */
  readonly codeSentTo?: string
  /**
   * On a session that another session opened: the `apiKeyId` of that one, then of those through which that one was opened
   * and that were there still. It ends when one of them is deleted. Sessions that are older than this member lack it.
   */
  readonly openedThrough?: readonly string[]
  /**
   * On a recovery credential that no mail carried: its holder got it as a link, from another device of the user or from
   * the operator. The switches for recoveries by mail do not bind it.
   */
  readonly isLink?: true
  /**
   * On a session that the auth proxy opened, or a session or token of the proxy did. The settings of the proxy say
   * whether it may do what outlasts it. Sessions that are older than this member lack it.
   */
  readonly isOfAuthProxy?: true
  /** On a recovery credential. Absent in those that are older than this member. */
  readonly restsOn?: LinkBasis
  /** Seconds after `createdAtMs`; absent: never expires. */
  readonly expirationSeconds?: number
  /**
   * Nothing but the word of somebody in this organization says that its user has the key, whose public half may be known
   * to many. Absent: it made a request in which the user's record was written, or those who vouch for it added it
   * (`claimedAt`). Keys that are older than this member lack it.
   */
  readonly isClaimed?: true
  /**
   * On a claimed key whose request has waited: when that came, in milliseconds since 1970. Readers of the organization
   * knew the key from then on.
   */
  readonly claimedAtMs?: number
  /** Part of the key, so it is deleted with it: another key with the same public half must not inherit it. */
  readonly ipAllowlist?: IpAllowlist
}

/** The types of keys that this server registers during a login or a recovery. */
export const issuedCredentialTypes = [
  'CREDENTIAL_TYPE_LOGIN',
  'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256',
  'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256',
  'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256',
  'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256',
  'CREDENTIAL_TYPE_OAUTH_KEY_P256',
] as const
export type IssuedCredentialType = (typeof issuedCredentialTypes)[number]
/** The type of a key that was mailed to its user, or given to the user as a link. It serves for `recover_user` only. */
export const recoveryCredentialType = 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256' as const satisfies IssuedCredentialType

/** A passkey or security key. Bytes are base64url without padding. */
export type Authenticator = Times & {
  readonly authenticatorId: string
  readonly authenticatorName: string
  /** The raw id. Unique within the organization. */
  readonly credentialId: string
  /** A COSE_Key of ES256 or RS256. */
  readonly cosePublicKey: string
  readonly rpIdHash: string
  readonly aaguid: string
  readonly attestationType: string
  readonly transports: readonly AuthenticatorTransport[]
}

/** An identity at an OIDC issuer by which its holder logs in. Unique within the organization. */
export type OauthProvider = Times & {
  readonly providerId: string
  readonly providerName: string
  readonly issuer: string
  readonly audience: string
  readonly subject: string
}
