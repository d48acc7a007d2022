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
  /** Seconds after `createdAtMs`; absent: never expires. */
  readonly expirationSeconds?: number
}

export type User = Times & {
  readonly userId: string
  readonly userName: string
  readonly userEmail?: string
  readonly userPhoneNumber?: string
  readonly apiKeys: readonly ApiKey[]
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

/** In the parent: proof that the sub-organization is its own. */
export type SubOrganization = Times & { readonly subOrganizationId: string }

/** An activity that waits for votes, in the version that counts. One that is not listed here waits for nothing. */
export type PendingActivity = Times & { readonly activityId: string; readonly activityVersion: number }

export type RecordTypes = {
  user: User
  wallet: Wallet
  wallet_account: WalletAccount
  private_key: PrivateKey
  sub_organization: SubOrganization
  pending_activity: PendingActivity
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
  /** The kind whose records have one of this kind as their owner, and are gone when it is. */
  readonly owns?: RecordKind
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
