import type { AuthenticationStep } from '../../policy/authentication_methods.ts'
import type { Effect } from '../../policy/effects.ts'
import type { IpAllowlist } from '../../policy/ip_allowlist.ts'
import type { AddressFormat } from '../../protocol/chains/address_formats.ts'
import type { Curve } from '../../protocol/crypto/curves.ts'
import type { ApiKeyCurve } from '../../protocol/stamps/api_keys.ts'
import type { AuthenticatorTransport } from '../../protocol/stamps/webauthn.ts'
import type { FeatureName } from '../../protocol/wire/feature_names.ts'
import type { Oauth2Provider, OnRampProvider } from './provider_names.ts'
import type { Times } from './record_times.ts'
import type { TvcApp, TvcDeployment, TvcOperator, TvcOperatorSet } from './tvc_record_types.ts'

export * from './tvc_record_types.ts'

export type ApiKey = Times & {
  readonly apiKeyId: string
  readonly apiKeyName: string
  /** Lower-case hex: a compressed point, or 32 bytes for Ed25519. Unique within the organization. */
  readonly publicKey: string
  readonly curveType: ApiKeyCurve
  /** How a key came to be that the user did not add by hand; absent: by hand. */
  readonly credentialType?: IssuedCredentialType
  readonly sessionProfileId?: string
  /** Seconds after `createdAtMs`; absent: never expires. */
  readonly expirationSeconds?: number
  /** Part of the key, so that it goes with it: another key of the same public half would not inherit it. */
  readonly ipAllowlist?: IpAllowlist
}

/** What a user must prove, in this order, before an activity that `condition` describes goes on. */
export type MfaPolicy = Times & {
  readonly mfaPolicyId: string
  readonly mfaPolicyName: string
  /** An expression of the policy language. */
  readonly condition: string
  readonly requiredAuthenticationMethods: readonly AuthenticationStep[]
  /** Lower ones first; of equal ones the older. Only the first whose condition holds is enforced. */
  readonly order: number
  readonly notes?: string
}

/** Keys that this server registered in the course of a login or a recovery. */
export const issuedCredentialTypes = [
  'CREDENTIAL_TYPE_LOGIN',
  'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256',
  'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256',
  'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256',
  'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256',
  'CREDENTIAL_TYPE_OAUTH_KEY_P256',
] as const
export type IssuedCredentialType = (typeof issuedCredentialTypes)[number]
/** Of a key that was mailed to its user, to be used for `recover_user` and nothing else. */
export const recoveryCredentialType = 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256' as const satisfies IssuedCredentialType

/** A passkey or security key. Bytes are base64url without padding. */
export type Authenticator = Times & {
  readonly authenticatorId: string
  readonly authenticatorName: string
  /** Of the raw id. Unique within the organization. */
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

export type User = Times & {
  readonly userId: string
  readonly userName: string
  readonly userEmail?: string
  readonly userPhoneNumber?: string
  /** Present when the user has proved to read what is sent there. */
  readonly verifiedEmail?: string
  readonly verifiedPhoneNumber?: string
  readonly apiKeys: readonly ApiKey[]
  readonly authenticators: readonly Authenticator[]
  readonly oauthProviders: readonly OauthProvider[]
  readonly userTags: readonly string[]
  /** Part of the user: whoever is asked for a proof is at hand with every request. Absent: none. */
  readonly mfaPolicies?: readonly MfaPolicy[]
}

/** Its secret is the BIP-39 entropy, never the words. */
export type Wallet = Times & {
  readonly walletId: string
  readonly walletName: string
  readonly exported: boolean
  readonly imported: boolean
}

/** Its secret is the derived private key: deriving it for each signature costs more than everything else together. */
export type WalletAccount = Times & {
  readonly walletAccountId: string
  readonly walletId: string
  readonly curve: Curve
  readonly path: string
  readonly addressFormat: AddressFormat
  readonly address: string
  readonly publicKey: string
  readonly name?: string
  /** Whether this account was exported on its own; exporting its wallet exports it as well. */
  readonly exported?: boolean
}

/** Its secret is the private key. */
export type PrivateKey = Times & {
  readonly privateKeyId: string
  readonly privateKeyName: string
  readonly curve: Curve
  readonly publicKey: string
  readonly addresses: readonly { readonly format: AddressFormat; readonly address: string }[]
  readonly privateKeyTags: readonly string[]
  readonly exported: boolean
  readonly imported: boolean
}

/** A label on users, or on private keys: those who have it list its id. Its name is unique among both kinds. */
export type Tag = Times & { readonly tagId: string; readonly tagName: string }
/**
 * An account with a provider of on-ramps, which sells coins for money. Its secret: `on_ramp_secret.ts`. The ciphertexts
 * are kept to be shown: as the client sent them, encrypted to the key `onRampEncryption`.
 */
export type FiatOnRampCredential = Times & {
  readonly fiatOnrampCredentialId: string
  readonly onrampProvider: OnRampProvider
  readonly projectId?: string
  readonly publishableApiKey: string
  readonly encryptedSecretApiKey: string
  readonly encryptedPrivateApiKey?: string
  readonly sandboxMode: boolean
}

/**
 * A client at a provider with which end users log in. Its secret is the client secret in UTF-8; the ciphertext is kept to
 * be shown, encrypted to the key `tlsFetcherEncryption`.
 */
export type Oauth2Credential = Times & {
  readonly oauth2CredentialId: string
  readonly provider: Oauth2Provider
  readonly clientId: string
  readonly encryptedClientSecret: string
}

/** In the parent: proof that the sub-organization is its own. */
export type SubOrganization = Times & { readonly subOrganizationId: string }

/** A passcode that was sent to a contact. Its secret: `passcode_secret.ts`. */
export type PasscodeFlow = Times & {
  readonly otpId: string
  readonly otpType: 'OTP_TYPE_EMAIL' | 'OTP_TYPE_SMS'
  readonly contact: string
  readonly expiresAtMs: number
  readonly attemptsLeft: number
  readonly isUsed: boolean
}

/** When passcodes were sent lately, to one contact or for one user identifier. */
export type PasscodeStarts = { readonly bucketId: string; readonly startsMs: readonly number[] }

/** A token that was used up. */
export type UsedToken = { readonly tokenId: string; readonly usedAtMs: number }

/** A key to which a user may encrypt one thing to import. Its secret is the private half, a scalar of P-256. */
export type ImportTarget = Times & {
  readonly importTargetId: string
  readonly userId: string
  readonly imports: 'wallet' | 'private_key'
  /** Used once, or replaced by newer ones. */
  readonly isOpen: boolean
}

/** How a session may be opened; made in the parent, never changed. */
export type SessionProfile = Times & {
  readonly sessionProfileId: string
  readonly sessionProfileName: string
  /** An expression of the policy language that holds for everything that such a session may do. */
  readonly scope: string
  readonly expirationSeconds?: number
  readonly notes?: string
}

export type Policy = Times & {
  readonly policyId: string
  readonly policyName: string
  readonly effect: Effect
  /** Expressions of the policy language: who must approve, what is done, and when. Absent: always true. */
  readonly consensus?: string
  readonly condition?: string
  readonly time?: string
  readonly notes: string
}

export type SmartContractInterface = Times & {
  readonly smartContractInterfaceId: string
  /** Ethereum: `0x` and 40 hex digits in any case; Solana: base58 of 32 bytes. */
  readonly smartContractAddress: string
  /** The text as it was given, checked as the ABI or IDL that it is. */
  readonly smartContractInterface: string
  readonly type: 'ETHEREUM' | 'SOLANA'
  readonly label: string
  readonly notes: string
}

/** From where requests for the organization may come. Its id is the organization's: there is one. */
export type OrganizationIpAllowlist = Times &
  IpAllowlist & { readonly organizationId: string; readonly enabled: boolean }

/** Something that the organization has switched on. Its id is its name. */
export type Feature = Times & { readonly name: FeatureName; readonly value?: string }

/** An activity that waits for votes, in the version that counts. One that is not listed here waits for nothing. */
export type PendingActivity = Times & { readonly activityId: string; readonly activityVersion: number }

/**
 * What a key signed within the last seven days, by the fields of transactions that spending limits name. Its id is the
 * public key in hex: all addresses of a key spend the same.
 */
export type SignedAmounts = Times & {
  readonly signerId: string
  /** `amount`: a whole number in decimals. */
  readonly paths: Readonly<Record<string, readonly { readonly atMs: number; readonly amount: string }[]>>
}

/** The records of an organization as they are sealed. */
export type RecordTypes = {
  user: User
  wallet: Wallet
  wallet_account: WalletAccount
  private_key: PrivateKey
  user_tag: Tag
  private_key_tag: Tag
  tvc_operator: TvcOperator
  tvc_operator_set: TvcOperatorSet
  tvc_app: TvcApp
  tvc_deployment: TvcDeployment
  fiat_on_ramp_credential: FiatOnRampCredential
  oauth2_credential: Oauth2Credential
  sub_organization: SubOrganization
  pending_activity: PendingActivity
  import_target: ImportTarget
  passcode_flow: PasscodeFlow
  passcode_starts: PasscodeStarts
  used_token: UsedToken
  session_profile: SessionProfile
  policy: Policy
  smart_contract_interface: SmartContractInterface
  ip_allowlist: OrganizationIpAllowlist
  feature: Feature
  signed_amounts: SignedAmounts
}
export type RecordKind = keyof RecordTypes
