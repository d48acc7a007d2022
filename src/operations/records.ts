import type { AuthenticationStep } from '../policy/authentication_methods.ts'
import type { IpAllowlist } from '../policy/ip_allowlist.ts'
import type { AddressFormat } from '../protocol/address_formats.ts'
import { lookupAddress } from '../protocol/address_formats.ts'
import type { ApiKeyCurve } from '../protocol/api_keys.ts'
import type { Curve } from '../protocol/curves.ts'
import type { FeatureName } from '../protocol/features.ts'

/** The records of an organization as they are sealed. Times are milliseconds since the epoch. */
type Times = { readonly createdAtMs: number; readonly updatedAtMs: number }

export type ApiKey = Times & {
  readonly apiKeyId: string
  readonly apiKeyName: string
  /** Lower-case hex: a compressed point, or 32 bytes for Ed25519. Unique within the organization. */
  readonly publicKey: string
  readonly curveType: ApiKeyCurve
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

export type User = Times & {
  readonly userId: string
  readonly userName: string
  readonly userEmail?: string
  readonly userPhoneNumber?: string
  readonly apiKeys: readonly ApiKey[]
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
  sub_organization: SubOrganization
  pending_activity: PendingActivity
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

/** Listed, without a secret, and found by its id alone. */
const plain = {
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
  session_profile: { ...plain, plural: 'sessionProfiles', idOf: (profile) => profile.sessionProfileId },
  smart_contract_interface: {
    ...plain,
    plural: 'smartContractInterfaces',
    idOf: (contract) => contract.smartContractInterfaceId,
  },
  ip_allowlist: { ...plain, plural: 'ipAllowlists', idOf: (allowlist) => allowlist.organizationId },
  feature: { ...plain, plural: 'features', idOf: (feature) => feature.name },
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

export function isExpired(apiKey: ApiKey, nowMs: number): boolean {
  return apiKey.expirationSeconds !== undefined && nowMs >= apiKey.createdAtMs + apiKey.expirationSeconds * 1000
}
