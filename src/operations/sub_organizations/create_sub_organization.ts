import Type from 'typebox'
import { Failure } from '../../protocol/failures.ts'
import { defineActivity } from '../define.ts'
import {
  accountsPerRequestMax,
  apiKeysPerUserRequestMax,
  authenticatorsPerUserRequestMax,
  Email,
  EmptyList,
  Flag,
  fields,
  Label,
  list,
  MnemonicLength,
  NewAccount,
  NewApiKey,
  NewAuthenticator,
  optional,
  PhoneNumber,
  usersPerRequestMax,
} from '../fields.ts'
import { checkAccounts } from '../new_accounts.ts'
import { checkUserCount, checkUsers, type GivenUser, newUsers } from '../new_users.ts'
import { addWallet } from '../new_wallets.ts'

const RootUser = fields({
  userName: Label,
  userEmail: optional(Email),
  userPhoneNumber: optional(PhoneNumber),
  apiKeys: list(NewApiKey, { itemsMax: apiKeysPerUserRequestMax }),
  authenticators: list(NewAuthenticator, { itemsMax: authenticatorsPerUserRequestMax }),
  oauthProviders: EmptyList,
})

const NewWallet = fields({
  walletName: Label,
  accounts: list(NewAccount, { itemsMax: accountsPerRequestMax }),
  mnemonicLength: optional(MnemonicLength),
})

/** What comes with the login issues: present in the interface, refused here with its name. */
const NotYet = Type.Unsafe<undefined>({ not: {}, expected: 'left out: it is not supported yet' })

export default defineActivity({
  name: 'create_sub_organization',
  summary: 'Makes an organization below this one, with root users and perhaps a wallet of its own.',
  type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8',
  intentKey: 'createSubOrganizationIntentV8',
  resultKey: 'createSubOrganizationResultV8',
  policy: { resource: 'ORGANIZATION', action: 'CREATE' },
  parameters: fields({
    subOrganizationName: Label,
    rootUsers: list(RootUser, { itemsMin: 1, itemsMax: usersPerRequestMax }),
    rootQuorumThreshold: Type.Integer({
      minimum: 1,
      maximum: 1,
      expected: '1: other thresholds are not supported yet',
    }),
    wallet: optional(NewWallet),
    disableEmailRecovery: optional(Flag),
    disableEmailAuth: optional(Flag),
    disableSmsAuth: optional(Flag),
    disableOtpEmailAuth: optional(Flag),
    verificationToken: optional(NotYet),
    clientSignature: optional(NotYet),
  }),
  result: Type.Object({
    subOrganizationId: Type.String(),
    wallet: optional(Type.Object({ walletId: Type.String(), addresses: Type.Array(Type.String()) })),
    rootUserIds: Type.Array(Type.String()),
  }),
  check: ({ rootUsers, wallet }) => {
    checkUsers(rootUsers.map(withoutTags), 'parameters.rootUsers')
    if (wallet !== undefined) checkAccounts(wallet.accounts, 'parameters.wallet.accounts')
    if (rootUsers.every(({ apiKeys, authenticators }) => apiKeys.length + authenticators.length === 0)) {
      throw new Failure('FIELD_INVALID', {
        fieldPath: 'parameters.rootUsers',
        reason: 'no root user has a credential: nobody could ever use this organization',
      })
    }
  },

  async run({ organization, parameters, keys, limits, nowMs, newId }) {
    if (organization.parentId !== undefined) {
      throw new Failure('FORBIDDEN', { reason: 'a sub-organization cannot have sub-organizations' })
    }
    const { subOrganizationName, rootUsers, rootQuorumThreshold, wallet } = parameters
    const child = organization.createChild({ organizationName: subOrganizationName })
    const users = newUsers(rootUsers.map(withoutTags), { nowMs, newId, limits })
    for (const user of users) child.users.add(user)
    checkUserCount(child.users.count(), limits)
    const rootUserIds = users.map(({ userId }) => userId)
    child.setRootQuorum({ threshold: rootQuorumThreshold, userIds: rootUserIds })
    const { organizationId: subOrganizationId } = child
    organization.subOrganizations.add({ subOrganizationId, createdAtMs: nowMs, updatedAtMs: nowMs })
    const made =
      wallet === undefined ? {} : { wallet: await addWallet(wallet, { organization: child, keys, nowMs, newId }) }
    return { subOrganizationId, ...made, rootUserIds }
  },
})

/** A new organization has no tags yet. */
function withoutTags(user: Omit<GivenUser, 'userTags'>): GivenUser {
  return { ...user, userTags: [] }
}
