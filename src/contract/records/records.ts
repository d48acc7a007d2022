import { lookupAddress } from '../../protocol/chains/address_formats.ts'
import { oidcIdentityKey } from '../../protocol/tokens/id_tokens.ts'
import { spellingsOfLabel } from '../../protocol/wire/labels.ts'
import { mailboxOf } from '../../protocol/wire/mail_addresses.ts'
import type { RecordLimit } from '../limits.ts'
import { knownOfInvitation, knownOfPrivateKey, knownOfUser, knownOfWallet } from './known_values.ts'
import type { Lookup, LookupName } from './lookup_types.ts'
import type { Known } from './recent_changes.ts'
import type { ApiKey, ImportTarget, RecordKind, RecordTypes, Tag, Times } from './record_types.ts'

export * from './lookup_types.ts'
export * from './record_types.ts'

/** The writer sets the times of a record. The row of a kind whose records have none must say so. */
type TimesRow<T> = T extends Times ? { readonly hasTimes?: true } : { readonly hasTimes: false }

type RecordRow<T> = TimesRow<T> & {
  /** The name of the list in which operations find records of this kind. */
  readonly plural: string
  /** Whether a secret is sealed together with each record. */
  readonly hasSecret: boolean
  readonly idOf: (record: T) => string
  /** Listed kinds stand in the head with version and digest, so that none can be dropped, edited or rolled back. */
  readonly listed: boolean
  readonly ownerOf: (record: T) => string | undefined
  /** Whether a record that was removed may be made again with the same id. */
  readonly recurs?: true
  /** The most that an organization may have of a listed kind. The writer refuses to add more. */
  readonly limit?: RecordLimit
  /** The kind of the records that a record of this kind owns. They are deleted with their owner. */
  readonly owns?: RecordKind
  readonly lookupsOf: (record: T) => readonly Lookup[]
  /** The values by which rules and requests go. The writer keeps the changes of these in the record. */
  readonly knownBy?: (record: T) => readonly Known[]
}

/** Unless a row says otherwise, its kind has no secret, is listed, has no owner and is found by its id only. */
const plainRow = { hasSecret: false, listed: true, ownerOf: () => undefined, lookupsOf: () => [] } as const

type GivenRow<T> = Omit<RecordRow<T>, keyof typeof plainRow> & Partial<Pick<RecordRow<T>, keyof typeof plainRow>>

const tagRow = {
  idOf: (tag: Tag) => tag.tagId,
  lookupsOf: (tag: Tag) => [{ lookup: 'tag_name', key: tag.tagName } as const],
} as const

const rows = {
  user: {
    plural: 'users',
    knownBy: knownOfUser,
    limit: { name: 'usersMax', things: 'users' },
    idOf: (user) => user.userId,
    lookupsOf: (user) => [
      // Apart, so that those who claim a key are not among those by whom a parent finds its owner.
      ...user.apiKeys.map(
        ({ publicKey: key, isClaimed }) => ({ lookup: isClaimed ? 'claimed_credential' : 'credential', key }) as const,
      ),
      ...user.authenticators.map(({ credentialId }) => ({ lookup: 'authenticator', key: credentialId }) as const),
      ...user.oauthProviders.map((provider) => ({ lookup: 'oidc_identity', key: oidcIdentityKey(provider) }) as const),
      ...spellingsOfLabel(user.userName).map((key) => ({ lookup: 'user_name', key, spells: user.userName }) as const),
      ...(user.userEmail === undefined ? [] : [{ lookup: 'user_email', key: mailboxOf(user.userEmail) } as const]),
      ...(user.userPhoneNumber === undefined
        ? []
        : [{ lookup: 'user_phone_number', key: user.userPhoneNumber } as const]),
      ...verifiedLookups(user),
    ],
  },
  wallet: {
    plural: 'wallets',
    knownBy: knownOfWallet,
    limit: { name: 'walletsMax', things: 'wallets' },
    hasSecret: true,
    idOf: (wallet) => wallet.walletId,
    owns: 'wallet_account',
    lookupsOf: (wallet) => [{ lookup: 'wallet_name', key: wallet.walletName }],
  },
  wallet_account: {
    plural: 'walletAccounts',
    hasSecret: true,
    idOf: (account) => account.walletAccountId,
    listed: false,
    ownerOf: (account) => account.walletId,
    lookupsOf: (account) => [
      { lookup: 'address', key: lookupAddress(account.address) },
      { lookup: 'account_path', key: accountPathKey(account) },
      ...(account.name === undefined ? [] : [{ lookup: 'account_name', key: account.name } as const]),
    ],
  },
  private_key: {
    plural: 'privateKeys',
    knownBy: knownOfPrivateKey,
    limit: { name: 'privateKeysMax', things: 'private keys' },
    hasSecret: true,
    idOf: (privateKey) => privateKey.privateKeyId,
    lookupsOf: (privateKey) => [
      { lookup: 'private_key_name', key: privateKey.privateKeyName },
      ...privateKey.addresses.map(({ address }) => ({ lookup: 'address', key: lookupAddress(address) }) as const),
    ],
  },
  user_tag: { ...tagRow, plural: 'userTags' },
  private_key_tag: { ...tagRow, plural: 'privateKeyTags' },
  tvc_operator: {
    plural: 'tvcOperators',
    limit: { name: 'tvcOperatorsMax', things: 'operators of verifiable apps' },
    idOf: (operator) => operator.operatorId,
  },
  tvc_operator_set: { plural: 'tvcOperatorSets', idOf: (set) => set.operatorSetId },
  tvc_app: { plural: 'tvcApps', limit: { name: 'tvcAppsMax', things: 'verifiable apps' }, idOf: (app) => app.appId },
  tvc_deployment: {
    plural: 'tvcDeployments',
    limit: { name: 'tvcDeploymentsMax', things: 'deployments of verifiable apps' },
    idOf: (deployment) => deployment.deploymentId,
  },
  fiat_on_ramp_credential: {
    plural: 'fiatOnRampCredentials',
    limit: { name: 'providerCredentialsMax', things: 'credentials of this kind' },
    hasSecret: true,
    idOf: (credential) => credential.fiatOnrampCredentialId,
  },
  oauth2_credential: {
    plural: 'oauth2Credentials',
    limit: { name: 'providerCredentialsMax', things: 'credentials of this kind' },
    hasSecret: true,
    idOf: (credential) => credential.oauth2CredentialId,
  },
  sub_organization: {
    plural: 'subOrganizations',
    idOf: (subOrganization) => subOrganization.subOrganizationId,
    listed: false,
  },
  signed_amounts: { plural: 'signedAmounts', listed: false, idOf: (amounts) => amounts.signerId },
  velocity_control: {
    plural: 'velocityControls',
    limit: { name: 'velocityControlsMax', things: 'velocity controls' },
    idOf: (control) => control.velocityControlId,
    owns: 'velocity_bucket',
  },
  velocity_bucket: {
    plural: 'velocityBuckets',
    listed: false,
    idOf: (bucket) => bucket.bucketId,
    ownerOf: (bucket) => bucket.velocityControlId,
  },
  pending_activity: {
    plural: 'pendingActivities',
    idOf: (pending) => pending.activityId,
    lookupsOf: ({ credentials = [] }) => credentials.map((key) => ({ lookup: 'waiting_credential', key }) as const),
  },
  import_target: {
    plural: 'importTargets',
    hasSecret: true,
    idOf: (target) => target.importTargetId,
    listed: false,
    lookupsOf: (target) => (target.isOpen ? [{ lookup: 'import_target', key: importTargetKey(target) }] : []),
  },
  passcode_flow: { plural: 'passcodeFlows', hasSecret: true, idOf: (flow) => flow.otpId, listed: false },
  passcode_starts: { plural: 'passcodeStarts', hasTimes: false, idOf: (starts) => starts.bucketId, listed: false },
  used_token: { plural: 'usedTokens', hasTimes: false, idOf: (token) => token.tokenId, listed: false },
  session_profile: {
    plural: 'sessionProfiles',
    limit: { name: 'sessionProfilesMax', things: 'session profiles' },
    idOf: (profile) => profile.sessionProfileId,
  },
  invitation: {
    plural: 'invitations',
    knownBy: knownOfInvitation,
    limit: { name: 'invitationsMax', things: 'invitations that are open' },
    idOf: (invitation) => invitation.invitationId,
    // The key of one that was accepted or revoked is nobody's.
    lookupsOf: ({ status, publicKey }) =>
      status === 'INVITATION_STATUS_CREATED' ? [{ lookup: 'credential', key: publicKey } as const] : [],
  },
  policy: {
    plural: 'policies',
    limit: { name: 'policiesMax', things: 'policies' },
    idOf: (policy) => policy.policyId,
    lookupsOf: (policy) => [{ lookup: 'policy_name', key: policy.policyName }],
  },
  smart_contract_interface: {
    plural: 'smartContractInterfaces',
    limit: { name: 'smartContractInterfacesMax', things: 'smart contract interfaces' },
    idOf: (contract) => contract.smartContractInterfaceId,
  },
  auth_proxy: { plural: 'authProxies', recurs: true, idOf: (proxy) => proxy.organizationId },
  ip_allowlist: { plural: 'ipAllowlists', recurs: true, idOf: (allowlist) => allowlist.organizationId },
  feature: { plural: 'features', recurs: true, idOf: (feature) => feature.name },
  webhook_endpoint: {
    plural: 'webhookEndpoints',
    limit: { name: 'webhookEndpointsMax', things: 'webhook endpoints' },
    idOf: (endpoint) => endpoint.endpointId,
  },
} as const satisfies { readonly [K in RecordKind]: GivenRow<RecordTypes[K]> }

export const everyRecordKind = Object.keys(rows) as readonly RecordKind[]

const wholeRows = everyRecordKind.map((kind) => [kind, { ...plainRow, ...rows[kind] }])

/** One row for each kind of record: its id, whether the head lists it, and the lookups that find it. */
export const recordKinds: { readonly [K in RecordKind]: RecordRow<RecordTypes[K]> } = Object.fromEntries(wholeRows)

/** Returns the row of a kind that is known at run time only. Its functions take the records of this kind. */
export function rowOf(kind: RecordKind): RecordRow<RecordTypes[RecordKind]> {
  return recordKinds[kind] as RecordRow<RecordTypes[RecordKind]>
}

export type PluralOf<K extends RecordKind> = (typeof rows)[K]['plural']
export type HasSecret<K extends RecordKind> = (typeof rows)[K] extends { readonly hasSecret: true } ? true : false

/** The key of a wallet's accounts at one path: one account for each address format and curve. */
export function accountPathKey({ walletId, path }: { readonly walletId: string; readonly path: string }): string {
  return `${walletId} ${path}`
}

/** The lookup of every user that has a verified contact. */
export const anyVerifiedContact = { lookup: 'verified_contact', key: 'any' } as const

function verifiedLookups(user: RecordTypes['user']): readonly Lookup[] {
  const contacts = [
    ...verifiedEmailLookups(user),
    ...verified('verified_phone_number', user.userPhoneNumber, user.verifiedPhoneNumber),
  ]
  return contacts.length === 0 ? [] : [...contacts, anyVerifiedContact]
}

function verifiedEmailLookups({ userEmail, verifiedEmail }: RecordTypes['user']): readonly Lookup[] {
  return verified('verified_email', userEmail && mailboxOf(userEmail), verifiedEmail && mailboxOf(verifiedEmail))
}

/** Whether the parent has verified the present address of the user. */
export function hasVerifiedEmail(user: RecordTypes['user']): boolean {
  return verifiedEmailLookups(user).length > 0
}

/** The lookup of a verified contact. A contact that changed after its verification is not verified. */
function verified(lookup: LookupName, contact: string | undefined, proved: string | undefined): readonly Lookup[] {
  return proved !== undefined && contact === proved ? [{ lookup, key: proved }] : []
}

/** The key of a user's import targets for wallets, or of those for private keys. */
export function importTargetKey({ userId, imports }: Pick<ImportTarget, 'userId' | 'imports'>): string {
  return `${userId} ${imports}`
}

export function isExpired(apiKey: ApiKey, nowMs: number): boolean {
  return apiKey.expirationSeconds !== undefined && nowMs >= apiKey.createdAtMs + apiKey.expirationSeconds * 1000
}
