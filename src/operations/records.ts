import type { AuthenticationStep } from '../policy/authentication_methods.ts'
import type { IpAllowlist } from '../policy/ip_allowlist.ts'
import type { AddressFormat } from '../protocol/address_formats.ts'
import { lookupAddress } from '../protocol/address_formats.ts'
import type { ApiKeyCurve } from '../protocol/api_keys.ts'
import type { Curve } from '../protocol/curves.ts'
import type { FeatureName } from '../protocol/features.ts'
import type { ManifestV1 } from '../protocol/tvc_manifest.ts'
import type { AuthenticatorTransport } from '../protocol/webauthn.ts'
import type { Oauth2Provider, OnRampProvider } from './provider_names.ts'

/** The records of an organization as they are sealed. Times are milliseconds since the epoch. */
type Times = { readonly createdAtMs: number; readonly updatedAtMs: number }

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
/** Approves manifests or holds shares of a quorum key. Nothing changes one. */
export type TvcOperator = Times & {
  readonly operatorId: string
  readonly operatorName: string
  /** 130 bytes in lower-case hex: the key for encryption, then the one for signing. */
  readonly publicKey: string
}

/** Nothing changes one either, so whatever has a set holds the set itself, and a set its operators. */
export type TvcOperatorSet = Times & {
  readonly operatorSetId: string
  readonly operatorSetName: string
  readonly operators: readonly TvcOperator[]
  readonly threshold: number
}

export type TvcApp = Times & {
  readonly appId: string
  readonly appName: string
  /** In the form of an operator's. */
  readonly quorumPublicKey: string
  /** Whose members approve manifests. */
  readonly manifestSet: TvcOperatorSet
  /** Whose members hold the quorum key. */
  readonly shareSet: TvcOperatorSet
  readonly enableEgress: boolean
  readonly enableDebugModeDeployments: boolean
  readonly liveDeploymentId?: string
}

export type TvcManifestApproval = Times & {
  readonly approvalId: string
  readonly operator: TvcOperator
  /** r‖s in lower-case hex. */
  readonly signature: string
}

/** Has one manifest, which goes by the deployment's own id. */
export type TvcDeployment = Times & {
  readonly deploymentId: string
  readonly appId: string
  readonly manifestSet: TvcOperatorSet
  readonly shareSet: TvcOperatorSet
  readonly manifest: ManifestV1
  /** One of a member at most, the earliest first. */
  readonly approvals: readonly TvcManifestApproval[]
  readonly qosVersion: string
  readonly containerUrl: string
  readonly pivotPath: string
  readonly hasPullSecret: boolean
  readonly healthCheckType: TvcHealthCheckType
  readonly healthCheckPort: number
  readonly publicIngressPort: number
}

export const tvcHealthCheckTypes = ['TVC_HEALTH_CHECK_TYPE_HTTP', 'TVC_HEALTH_CHECK_TYPE_GRPC'] as const
export type TvcHealthCheckType = (typeof tvcHealthCheckTypes)[number]

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

/**
 * A passcode that was sent to a contact. Its secret is the private half (32 bytes) of the key to which the client
 * encrypts what was typed, and the passcode in UTF-8.
 */
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
  smart_contract_interface: SmartContractInterface
  ip_allowlist: OrganizationIpAllowlist
  feature: Feature
}
export type RecordKind = keyof RecordTypes

/** A text by which a record is found. Unique ones belong to at most one record of the organization. */
export type Lookup = { readonly lookup: LookupName; readonly key: string }
export type LookupName =
  | 'credential'
  | 'authenticator'
  | 'oidc_identity'
  | 'user_name'
  | 'user_email'
  | 'user_phone_number'
  | 'verified_email'
  | 'verified_phone_number'
  | 'organization_name'
  | 'wallet_name'
  | 'account_name'
  | 'account_path'
  | 'private_key_name'
  | 'tag_name'
  | 'address'
  | 'fingerprint'
  | 'import_target'

type RecordRow<T> = {
  /** The name of the list in which operations find records of this kind. */
  readonly plural: string
  /** Whether a secret is sealed together with each record. */
  readonly hasSecret: boolean
  readonly idOf: (record: T) => string
  /** Listed kinds stand in the head with version and digest, so that none can be dropped, edited or rolled back. */
  readonly listed: boolean
  /**
   * Whether the absence of a record, or an older version of it, would grant something: the vault then remembers the
   * newest version of each for as long as such a record may matter.
   */
  readonly remembered: boolean
  readonly ownerOf: (record: T) => string | undefined
  /** The kind whose records have one of this kind as their owner, and are gone when it is. */
  readonly owns?: RecordKind
  readonly lookupsOf: (record: T) => readonly Lookup[]
}

const tagRow = {
  hasSecret: false,
  idOf: (tag: Tag) => tag.tagId,
  listed: true,
  remembered: false,
  ownerOf: () => undefined,
  lookupsOf: (tag: Tag) => [{ lookup: 'tag_name', key: tag.tagName } as const],
} as const

/** Configuration: listed, without a secret, and found by its id alone. */
const configurationRow = {
  hasSecret: false,
  listed: true,
  remembered: false,
  ownerOf: () => undefined,
  lookupsOf: () => [],
} as const

const rows = {
  user: {
    plural: 'users',
    hasSecret: false,
    idOf: (user) => user.userId,
    listed: true,
    remembered: false,
    ownerOf: () => undefined,
    lookupsOf: (user) => [
      ...user.apiKeys.map((apiKey) => ({ lookup: 'credential', key: apiKey.publicKey }) as const),
      ...user.authenticators.map(({ credentialId }) => ({ lookup: 'authenticator', key: credentialId }) as const),
      ...user.oauthProviders.map((provider) => ({ lookup: 'oidc_identity', key: oidcIdentityKey(provider) }) as const),
      { lookup: 'user_name', key: user.userName },
      ...(user.userEmail === undefined ? [] : [{ lookup: 'user_email', key: user.userEmail.toLowerCase() } as const]),
      ...(user.userPhoneNumber === undefined
        ? []
        : [{ lookup: 'user_phone_number', key: user.userPhoneNumber } as const]),
      ...verified('verified_email', user.userEmail?.toLowerCase(), user.verifiedEmail?.toLowerCase()),
      ...verified('verified_phone_number', user.userPhoneNumber, user.verifiedPhoneNumber),
    ],
  },
  wallet: {
    plural: 'wallets',
    hasSecret: true,
    idOf: (wallet) => wallet.walletId,
    listed: true,
    remembered: false,
    ownerOf: () => undefined,
    owns: 'wallet_account',
    lookupsOf: (wallet) => [{ lookup: 'wallet_name', key: wallet.walletName }],
  },
  wallet_account: {
    plural: 'walletAccounts',
    hasSecret: true,
    idOf: (account) => account.walletAccountId,
    listed: false,
    remembered: false,
    ownerOf: (account) => account.walletId,
    lookupsOf: (account) => [
      { lookup: 'address', key: lookupAddress(account.address) },
      { lookup: 'account_path', key: accountPathKey(account) },
      ...(account.name === undefined ? [] : [{ lookup: 'account_name', key: account.name } as const]),
    ],
  },
  private_key: {
    plural: 'privateKeys',
    hasSecret: true,
    idOf: (privateKey) => privateKey.privateKeyId,
    listed: true,
    remembered: false,
    ownerOf: () => undefined,
    lookupsOf: (privateKey) => [
      { lookup: 'private_key_name', key: privateKey.privateKeyName },
      ...privateKey.addresses.map(({ address }) => ({ lookup: 'address', key: lookupAddress(address) }) as const),
    ],
  },
  user_tag: { plural: 'userTags', ...tagRow },
  private_key_tag: { plural: 'privateKeyTags', ...tagRow },
  tvc_operator: { ...configurationRow, plural: 'tvcOperators', idOf: (operator) => operator.operatorId },
  tvc_operator_set: { ...configurationRow, plural: 'tvcOperatorSets', idOf: (set) => set.operatorSetId },
  tvc_app: { ...configurationRow, plural: 'tvcApps', idOf: (app) => app.appId },
  tvc_deployment: { ...configurationRow, plural: 'tvcDeployments', idOf: (deployment) => deployment.deploymentId },
  fiat_on_ramp_credential: {
    plural: 'fiatOnRampCredentials',
    hasSecret: true,
    idOf: (credential) => credential.fiatOnrampCredentialId,
    listed: true,
    remembered: false,
    ownerOf: () => undefined,
    lookupsOf: () => [],
  },
  oauth2_credential: {
    plural: 'oauth2Credentials',
    hasSecret: true,
    idOf: (credential) => credential.oauth2CredentialId,
    listed: true,
    remembered: false,
    ownerOf: () => undefined,
    lookupsOf: () => [],
  },
  sub_organization: {
    plural: 'subOrganizations',
    hasSecret: false,
    idOf: (subOrganization) => subOrganization.subOrganizationId,
    listed: false,
    remembered: false,
    ownerOf: () => undefined,
    lookupsOf: () => [],
  },
  pending_activity: {
    plural: 'pendingActivities',
    hasSecret: false,
    idOf: (pending) => pending.activityId,
    listed: true,
    remembered: false,
    ownerOf: () => undefined,
    lookupsOf: () => [],
  },
  import_target: {
    plural: 'importTargets',
    hasSecret: true,
    idOf: (target) => target.importTargetId,
    listed: false,
    remembered: true,
    ownerOf: () => undefined,
    lookupsOf: (target) => (target.isOpen ? [{ lookup: 'import_target', key: importTargetKey(target) }] : []),
  },
  passcode_flow: {
    plural: 'passcodeFlows',
    hasSecret: true,
    idOf: (flow) => flow.otpId,
    listed: false,
    remembered: true,
    ownerOf: () => undefined,
    lookupsOf: () => [],
  },
  passcode_starts: {
    plural: 'passcodeStarts',
    hasSecret: false,
    idOf: (starts) => starts.bucketId,
    listed: false,
    remembered: true,
    ownerOf: () => undefined,
    lookupsOf: () => [],
  },
  used_token: {
    plural: 'usedTokens',
    hasSecret: false,
    idOf: (token) => token.tokenId,
    listed: false,
    remembered: true,
    ownerOf: () => undefined,
    lookupsOf: () => [],
  },
  session_profile: { ...configurationRow, plural: 'sessionProfiles', idOf: (profile) => profile.sessionProfileId },
  smart_contract_interface: {
    ...configurationRow,
    plural: 'smartContractInterfaces',
    idOf: (contract) => contract.smartContractInterfaceId,
  },
  ip_allowlist: { ...configurationRow, plural: 'ipAllowlists', idOf: (allowlist) => allowlist.organizationId },
  feature: { ...configurationRow, plural: 'features', idOf: (feature) => feature.name },
} as const satisfies { readonly [K in RecordKind]: RecordRow<RecordTypes[K]> }

/** One row per kind of record: what its id is, whether the head lists it, and by what it is found. */
export const recordKinds: { readonly [K in RecordKind]: RecordRow<RecordTypes[K]> } = rows

export const everyRecordKind = Object.keys(rows) as readonly RecordKind[]

export type PluralOf<K extends RecordKind> = (typeof rows)[K]['plural']
export type HasSecret<K extends RecordKind> = (typeof rows)[K]['hasSecret']

/** The accounts of one wallet at one path: one per address format. */
export function accountPathKey({ walletId, path }: { readonly walletId: string; readonly path: string }): string {
  return `${walletId} ${path}`
}

/** A contact that was changed since is not the one that was verified. */
function verified(lookup: LookupName, contact: string | undefined, proved: string | undefined): readonly Lookup[] {
  return proved !== undefined && contact === proved ? [{ lookup, key: proved }] : []
}

/** One identity of one client at one issuer. */
export function oidcIdentityKey({
  issuer,
  audience,
  subject,
}: Pick<OauthProvider, 'issuer' | 'audience' | 'subject'>): string {
  return JSON.stringify([issuer, audience, subject])
}

/** The open targets of one user for wallets, or for private keys. */
export function importTargetKey({ userId, imports }: Pick<ImportTarget, 'userId' | 'imports'>): string {
  return `${userId} ${imports}`
}

export function isExpired(apiKey: ApiKey, nowMs: number): boolean {
  return apiKey.expirationSeconds !== undefined && nowMs >= apiKey.createdAtMs + apiKey.expirationSeconds * 1000
}
