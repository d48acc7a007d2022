import type { AuthenticationStep } from '../../policy/authentication_methods.ts'
import type { Effect } from '../../policy/decision/effects.ts'
import type { IpAllowlist } from '../../policy/ip_allowlist.ts'
import type { AddressFormat } from '../../protocol/chains/address_formats.ts'
import type { Curve } from '../../protocol/crypto/curves.ts'
import type { FeatureName } from '../../protocol/wire/feature_names.ts'
import type { Id } from '../fields/ids.ts'
import type { GivenOauth2Provider, GivenOnRampProvider, Oauth2Provider, OnRampProvider } from './provider_names.ts'
import type { WithRecentChanges } from './recent_changes.ts'
import type { AuthProxy } from './types/auth_proxy_record_types.ts'
import type { ApiKey, Authenticator, OauthProvider } from './types/credential_record_types.ts'
import type { Invitation } from './types/invitation_record_types.ts'
import type { SignedAmounts, VelocityBucket, VelocityControl } from './types/limit_record_types.ts'
import type { Times } from './types/record_times.ts'
import type { TvcApp, TvcDeployment, TvcOperator, TvcOperatorSet } from './types/tvc_record_types.ts'
import type { WebhookEndpoint } from './types/webhook_record_types.ts'

export * from './types/auth_proxy_record_types.ts'
export * from './types/credential_record_types.ts'
export * from './types/invitation_record_types.ts'
export * from './types/limit_record_types.ts'
export type { Times, WithoutTimes } from './types/record_times.ts'
export * from './types/tvc_record_types.ts'
export * from './types/webhook_record_types.ts'

/** The steps that a user must take, in order, before an activity that `condition` describes goes on. */
export type MfaPolicy = Times & {
  readonly mfaPolicyId: string
  readonly mfaPolicyName: string
  /** An expression of the policy language. */
  readonly condition: string
  readonly requiredAuthenticationMethods: readonly AuthenticationStep[]
  /**
   * Lower orders come first, and of equal ones the older policy. Only the first policy whose condition holds is
   * enforced.
   */
  readonly order: number
  readonly notes?: string
}

export type User = Times &
  WithRecentChanges & {
    readonly userId: Id
    readonly userName: string
    readonly userEmail?: string
    readonly userPhoneNumber?: string
    /** Present if the user has proved to receive what is sent there, in a sub-organization to its parent. */
    readonly verifiedEmail?: string
    readonly verifiedPhoneNumber?: string
    /** When the user last lost an address or a number, by another or by none. Proofs by codes to it have ended. */
    readonly lostEmailAtMs?: number
    readonly lostPhoneNumberAtMs?: number
    /** Present if the user wants no notices by mail. */
    readonly withoutNotices?: true
    readonly apiKeys: readonly ApiKey[]
    readonly authenticators: readonly Authenticator[]
    readonly oauthProviders: readonly OauthProvider[]
    readonly userTags: readonly Id[]
    /** Part of the user, so that every request has the policies of its user at hand. Absent: none. */
    readonly mfaPolicies?: readonly MfaPolicy[]
  }

/** The secret of a wallet is its BIP-39 entropy, never its words. */
export type Wallet = Times &
  WithRecentChanges & {
    readonly walletId: string
    readonly walletName: string
    readonly exported: boolean
    readonly imported: boolean
    /** Whether an account of it was exported on its own, also one that was deleted since. Only rules see it. */
    readonly accountExported?: true
  }

/**
 * The secret of an account is its derived private key: deriving it at each signature would cost more than all the rest.
 */
export type WalletAccount = Times & {
  readonly walletAccountId: string
  readonly walletId: string
  readonly curve: Curve
  readonly path: string
  readonly addressFormat: AddressFormat
  readonly address: string
  readonly publicKey: string
  readonly name?: string
  /** Whether this account was exported on its own. Exporting its wallet exports the account as well. */
  readonly exported?: boolean
}

/** The secret of a private key is the key itself. */
export type PrivateKey = Times &
  WithRecentChanges & {
    readonly privateKeyId: string
    readonly privateKeyName: string
    readonly curve: Curve
    readonly publicKey: string
    readonly addresses: readonly { readonly format: AddressFormat; readonly address: string }[]
    readonly privateKeyTags: readonly Id[]
    readonly exported: boolean
    readonly imported: boolean
  }

/** A label on users or on private keys, which list the ids of their tags. Its name is unique among both kinds. */
export type Tag = Times & { readonly tagId: Id; readonly tagName: string }
/**
 * An account with an on-ramp provider, which sells coins for money. Its secret: `on_ramp_secret.ts`. The ciphertexts
 * are kept to be shown as the client sent them, encrypted to the key `onRampEncryption`.
 */
export type FiatOnRampCredential = Times & {
  readonly fiatOnrampCredentialId: string
  readonly onrampProvider: OnRampProvider
  /** The name in the request. A version that knows only neutral names may have changed the provider since. */
  readonly givenProvider?: GivenOnRampProvider
  readonly projectId?: string
  readonly publishableApiKey: string
  readonly encryptedSecretApiKey: string
  readonly encryptedPrivateApiKey?: string
  readonly sandboxMode: boolean
}

/**
 * A client at a provider with which end users log in. Its secret is the client secret in UTF-8. The ciphertext,
 * encrypted to the key `tlsFetcherEncryption`, is kept to be shown.
 */
export type Oauth2Credential = Times & {
  readonly oauth2CredentialId: string
  readonly provider: Oauth2Provider
  /** The name in the request. A version that knows only neutral names may have changed the provider since. */
  readonly givenProvider?: GivenOauth2Provider
  readonly clientId: string
  readonly encryptedClientSecret: string
}

/** A record of the parent, which proves that the sub-organization is its own. */
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

/** The times of recent starts of passcodes or recoveries, for one contact or one user identifier. */
export type PasscodeStarts = { readonly bucketId: string; readonly startsMs: readonly number[] }

/** A used verification token. */
export type UsedToken = { readonly tokenId: string; readonly usedAtMs: number }

/** A key to which a user may encrypt one import. Its secret is its private half, a scalar of P-256. */
export type ImportTarget = Times & {
  readonly importTargetId: string
  readonly userId: string
  readonly imports: 'wallet' | 'private_key'
  /** False after one use, or once newer targets replaced it. */
  readonly isOpen: boolean
}

/** A profile of sessions. It is created in the parent and never changed. */
export type SessionProfile = Times & {
  readonly sessionProfileId: string
  readonly sessionProfileName: string
  /** An expression of the policy language that must hold for everything that the session does. */
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
  /** The text as it was given, which is a checked ABI or IDL. */
  readonly smartContractInterface: string
  readonly type: 'ETHEREUM' | 'SOLANA'
  readonly label: string
  readonly notes: string
}

/**
 * The addresses from which requests to the organization may come. Its id is the organization's, so there is only one.
 */
export type OrganizationIpAllowlist = Times &
  IpAllowlist & { readonly organizationId: string; readonly enabled: boolean }

/** A feature that the organization has set, or one that it has switched off. Its id is its name. */
export type Feature = Times & {
  readonly name: FeatureName
  readonly value?: string
  readonly isOff?: true
  /** When the switch was switched on, if it was off before: all that was given out earlier has ended. */
  readonly onSinceMs?: number
}

/**
 * An activity that waits for votes or proofs, in the version that counts. Without this record an activity does not
 * wait.
 */
export type PendingActivity = Times & {
  readonly activityId: string
  readonly activityVersion: number
  /** Absent for those that are older than this member. */
  readonly submitterId?: string
  /** The public keys and the ids of passkeys that it adds to users. Absent for those that are older than this member. */
  readonly credentials?: readonly string[]
  /** The users and invitations to which it adds them; none if it makes the users. Absent for those that are older. */
  readonly receiverIds?: readonly string[]
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
  invitation: Invitation
  policy: Policy
  smart_contract_interface: SmartContractInterface
  ip_allowlist: OrganizationIpAllowlist
  auth_proxy: AuthProxy
  feature: Feature
  webhook_endpoint: WebhookEndpoint
  signed_amounts: SignedAmounts
  velocity_control: VelocityControl
  velocity_bucket: VelocityBucket
}
export type RecordKind = keyof RecordTypes
