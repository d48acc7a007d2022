import Type, { type Static, type TSchema } from 'typebox'
import { defineActivity, olderType } from '../../contract/define.ts'
import {
  accountsPerRequestMax,
  apiKeysPerUserRequestMax,
  authenticatorsPerUserRequestMax,
  Email,
  Flag,
  fields,
  Label,
  list,
  MnemonicLength,
  NewAccount,
  NewApiKey,
  NewAuthenticator,
  NewP256ApiKey,
  namedFields,
  optional,
  PhoneNumber,
  rootQuorumUsersMax,
  usersPerRequestMax,
} from '../../contract/fields/fields.ts'
import { view } from '../../contract/fields/named.ts'
import { Failure, fieldInvalid, fieldRefused } from '../../protocol/wire/failures.ts'
import { disablingFlags, type FeatureName } from '../../protocol/wire/feature_names.ts'
import {
  checkOauthProvidersOfUsers,
  FirstNewOauthProvider,
  NewOauthProvider,
  oauthProvidersPerUserRequestMax,
  oidcTokensOfUsers,
  withOauthProvidersOfUsers,
} from '../oauth_providers/shared/new_oauth_providers.ts'
import { signUpReads, VerificationToken } from '../sessions/shared/verification_tokens.ts'
import { canGetPasscode } from '../users/shared/lockout.ts'
import { checkUsers, newUsers, onP256, parsedUsers } from '../users/shared/new_users.ts'
import { checkAccounts, derivedAddresses } from '../wallets/shared/new_accounts.ts'
import { addWallet } from '../wallets/shared/new_wallets.ts'
import { ClientSignature } from './shared/client_signatures.ts'
import { checkSignUp, signedUp } from './shared/sign_ups.ts'
import { explainNewSubOrganization } from './shared/sub_organization_changes.ts'

const apiKeys = list(NewApiKey, { itemsMax: apiKeysPerUserRequestMax })
const p256ApiKeys = list(NewP256ApiKey, { itemsMax: apiKeysPerUserRequestMax })
const naming = { userName: Label, userEmail: optional(Email) }
const passkeys = { authenticators: list(NewAuthenticator, { itemsMax: authenticatorsPerUserRequestMax }) }
const providers = { oauthProviders: list(NewOauthProvider, { itemsMax: oauthProvidersPerUserRequestMax }) }
const firstProviders = { oauthProviders: list(FirstNewOauthProvider, { itemsMax: oauthProvidersPerUserRequestMax }) }

/** The root users of versions 2 to 4, 5, 6, 7 and the newest one. */
const FirstRootUser = namedFields('RootUserParams', { ...naming, apiKeys: p256ApiKeys, ...passkeys })
const RootUserWithProviders = namedFields('RootUserParamsV2', {
  ...naming,
  apiKeys: p256ApiKeys,
  ...passkeys,
  ...firstProviders,
})
const RootUserOnAnyCurve = namedFields('RootUserParamsV3', { ...naming, apiKeys, ...passkeys, ...firstProviders })
const phone = { userPhoneNumber: optional(PhoneNumber) }
const RootUserWithPhone = namedFields('RootUserParamsV4', {
  ...naming,
  ...phone,
  apiKeys,
  ...passkeys,
  ...firstProviders,
})
const RootUser = namedFields('RootUserParamsV5', { ...naming, ...phone, apiKeys, ...passkeys, ...providers })

const rootUsersOf = <U extends TSchema>(user: U) => list(user, { itemsMin: 1, itemsMax: usersPerRequestMax })

const NewWallet = namedFields('WalletParams', {
  walletName: Label,
  accounts: list(NewAccount, { itemsMax: accountsPerRequestMax }),
  mnemonicLength: optional(MnemonicLength),
})

const NoPrivateKeys = Type.Array(Type.Unknown(), {
  maxItems: 0,
  expected: 'an empty list: private keys are made in the new organization, with create_private_keys',
})

const quorum = {
  rootQuorumThreshold: Type.Integer({
    minimum: 1,
    maximum: rootQuorumUsersMax,
    expected: 'a whole number from 1 to the number of root users',
  }),
}

const fieldPath = 'parameters.rootUsers'
/** The parameters of versions 4 to 6. */
const earlierOf = <U extends TSchema>(user: U) =>
  fields({
    subOrganizationName: Label,
    rootUsers: rootUsersOf(user),
    ...quorum,
    wallet: optional(NewWallet),
    disableEmailRecovery: optional(Flag),
    disableEmailAuth: optional(Flag),
  })
const parametersOf = <U extends TSchema>(user: U) =>
  fields({
    ...earlierOf(user).properties,
    disableSmsAuth: optional(Flag),
    disableOtpEmailAuth: optional(Flag),
    verificationToken: optional(VerificationToken),
    clientSignature: optional(ClientSignature),
  })
const newest = parametersOf(RootUser)
/** `mayBeUnsigned`: an older type accepts a verification token without a client's signature. */
type Parameters = Static<typeof newest> & { readonly mayBeUnsigned?: true }
const result = Type.Object({
  subOrganizationId: Type.String(),
  wallet: optional(view('WalletResult', { walletId: Type.String(), addresses: Type.Array(Type.String()) })),
  rootUserIds: Type.Array(Type.String()),
})

export default defineActivity({
  name: 'create_sub_organization',
  summary: 'Creates an organization below this one, with root users and optionally a wallet.',
  type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8',
  policy: { resource: 'ORGANIZATION', action: 'CREATE' },
  parameters: Type.Unsafe<Parameters>(newest),
  result,
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7',
      parameters: parametersOf(RootUserWithPhone),
      upgrade: (given): Parameters => ({ ...given, mayBeUnsigned: true }),
    }),
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6',
      parameters: earlierOf(RootUserOnAnyCurve),
      upgrade: (given) => given,
    }),
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5',
      parameters: earlierOf(RootUserWithProviders),
      upgrade: ({ rootUsers, ...given }) => ({ ...given, rootUsers: rootUsers.map(onP256) }),
    }),
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4',
      parameters: earlierOf(FirstRootUser),
      upgrade: withRootUsers,
    }),
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3',
      parameters: fields({
        subOrganizationName: Label,
        rootUsers: rootUsersOf(FirstRootUser),
        ...quorum,
        privateKeys: NoPrivateKeys,
      }),
      upgrade: ({ privateKeys: _, ...given }) => withRootUsers(given),
      ownResult: {
        result: Type.Object({
          subOrganizationId: Type.String(),
          privateKeys: Type.Array(Type.Unknown()),
          rootUserIds: Type.Array(Type.String()),
        }),
        downgrade: (made: Static<typeof result>) => ({ ...made, privateKeys: [] }),
      },
    }),
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2',
      resultKey: 'createSubOrganizationResult',
      parameters: fields({ subOrganizationName: Label, rootUsers: rootUsersOf(FirstRootUser), ...quorum }),
      upgrade: withRootUsers,
    }),
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION',
      parameters: fields({ name: Label, rootAuthenticator: NewAuthenticator }),
      upgrade: ({ name, rootAuthenticator }) => ({
        subOrganizationName: name,
        rootUsers: [{ userName: 'Root user', apiKeys: [], authenticators: [rootAuthenticator], oauthProviders: [] }],
        rootQuorumThreshold: 1,
      }),
    }),
  ],
  parse: (given) => ({ ...given, rootUsers: parsedUsers(given.rootUsers, fieldPath).map(withoutTags) }),
  async check(parameters, pause) {
    const { rootUsers, wallet } = parameters
    await checkUsers(rootUsers, fieldPath, pause)
    checkOauthProvidersOfUsers(rootUsers, fieldPath)
    if (wallet !== undefined) checkAccounts(wallet.accounts, 'parameters.wallet.accounts')
    checkQuorum(parameters)
    checkSignUp(parameters)
  },
  appProofs: ({ parameters, result: { subOrganizationId: organizationId, wallet } }) =>
    wallet === undefined ? [] : derivedAddresses(parameters.wallet?.accounts ?? [], { organizationId, ...wallet }),

  needs: ({ verificationToken }) => (verificationToken === undefined ? [] : signUpReads(verificationToken)),
  oidcTokens: ({ rootUsers }) => oidcTokensOfUsers(rootUsers, fieldPath),
  explain: ({ parameters, now }) =>
    explainNewSubOrganization({ ...parameters, switchedOff: switchedOff(parameters).map(({ name }) => name) }, now),

  async run({ organization, parameters, keys, oidcIdentity, oidcAudiences, limits, nowMs, newId }) {
    if (organization.parentId !== undefined) {
      throw new Failure('FORBIDDEN', 'a sub-organization cannot have sub-organizations')
    }
    const { subOrganizationName, rootUsers, rootQuorumThreshold, wallet } = parameters
    const child = organization.createChild({ organizationName: subOrganizationName })
    const vouched = { claimedAtMs: undefined } // By the parent, whose rules allow this.
    const circumstances = {
      fieldPath,
      organization: undefined,
      oidcIdentity,
      oidcAudiences,
      limits,
      nowMs,
      newId,
      ...vouched,
    }
    const users = withOauthProvidersOfUsers(newUsers(rootUsers, circumstances), rootUsers, circumstances)
    for (const user of users) child.users.add(signedUp(user, parameters, { organization, keys, nowMs }))
    for (const feature of switchedOff(parameters)) child.features.add(feature)
    const rootUserIds = users.map(({ userId }) => userId)
    child.setRootQuorum({ threshold: rootQuorumThreshold, userIds: rootUserIds })
    const { organizationId: subOrganizationId } = child
    organization.subOrganizations.add({ subOrganizationId })
    const made = wallet === undefined ? {} : { wallet: await addWallet(wallet, { organization: child, keys, newId }) }
    return { subOrganizationId, ...made, rootUserIds }
  },
})

/** Requires a quorum that its users can reach: nobody could mend it afterwards. */
function checkQuorum(parameters: Parameters): void {
  const { rootUsers, rootQuorumThreshold } = parameters
  if (rootQuorumThreshold > rootUsers.length) {
    throw fieldInvalid('parameters.rootQuorumThreshold', `at most ${rootUsers.length}, the number of root users`)
  }
  const off = switchedOff(parameters)
  const hasWayIn = (user: Parameters['rootUsers'][number]) => hasCredential(user) || canGetPasscode(user, off)
  if (rootUsers.filter(hasWayIn).length >= rootQuorumThreshold) return
  throw fieldRefused(
    fieldPath,
    'too few root users have a credential, or a contact to log in by: the threshold could never be reached',
  )
}

function hasCredential({ apiKeys, authenticators, oauthProviders }: Parameters['rootUsers'][number]): boolean {
  return apiKeys.length + authenticators.length + oauthProviders.length > 0
}

/** The features that the flags of the request switch off. */
function switchedOff(parameters: Parameters): readonly { readonly name: FeatureName; readonly isOff: true }[] {
  return disablingFlags.filter(({ flag }) => parameters[flag] === true).map(({ name }) => ({ name, isOff: true }))
}

/** A new organization has no tags yet. */
function withoutTags<U>(user: U) {
  return { ...user, userTags: [] }
}

/** Upgrades versions that have neither curves nor providers. */
function withRootUsers<T extends { readonly rootUsers: readonly Static<typeof FirstRootUser>[] }>(given: T) {
  return { ...given, rootUsers: given.rootUsers.map((user) => ({ ...onP256(user), oauthProviders: [] })) }
}
