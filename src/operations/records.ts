import type { AddressFormat } from '../protocol/address_formats.ts'
import { lookupAddress } from '../protocol/address_formats.ts'
import type { ApiKeyCurve } from '../protocol/api_keys.ts'
import type { Curve } from '../protocol/curves.ts'

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

export const authenticatorTransports = [
  'AUTHENTICATOR_TRANSPORT_BLE',
  'AUTHENTICATOR_TRANSPORT_INTERNAL',
  'AUTHENTICATOR_TRANSPORT_NFC',
  'AUTHENTICATOR_TRANSPORT_USB',
  'AUTHENTICATOR_TRANSPORT_HYBRID',
] as const
export type AuthenticatorTransport = (typeof authenticatorTransports)[number]

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
  readonly apiKeys: readonly ApiKey[]
  readonly authenticators: readonly Authenticator[]
  readonly oauthProviders: readonly OauthProvider[]
  readonly userTags: readonly string[]
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

/** In the parent: proof that the sub-organization is its own. */
export type SubOrganization = Times & { readonly subOrganizationId: string }

/** A key to which a user may encrypt one thing to import. Its secret is the private half, a scalar of P-256. */
export type ImportTarget = Times & {
  readonly importTargetId: string
  readonly userId: string
  readonly imports: 'wallet' | 'private_key'
  /** Used once, or replaced by newer ones. */
  readonly isOpen: boolean
}

/** An activity that waits for votes, in the version that counts. One that is not listed here waits for nothing. */
export type PendingActivity = Times & { readonly activityId: string; readonly activityVersion: number }

export type RecordTypes = {
  user: User
  wallet: Wallet
  wallet_account: WalletAccount
  private_key: PrivateKey
  sub_organization: SubOrganization
  pending_activity: PendingActivity
  import_target: ImportTarget
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
  | 'organization_name'
  | 'wallet_name'
  | 'account_name'
  | 'account_path'
  | 'private_key_name'
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
  readonly lookupsOf: (record: T) => readonly Lookup[]
}

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
    ],
  },
  wallet: {
    plural: 'wallets',
    hasSecret: true,
    idOf: (wallet) => wallet.walletId,
    listed: true,
    remembered: false,
    ownerOf: () => undefined,
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
