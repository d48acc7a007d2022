import { by, byTag, type ChangeCase, newTag, testChanges } from '../support/changed_since.ts'
import { newInvitation } from '../support/invitations.ts'
import { newApiKey, newMfaPolicy, newPolicy, newUser, type TestOrganization } from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** Others may get and lose tags, contacts and names while a request waits that sets them, or whose rules go by them. */

const exporting = "activity.action == 'EXPORT'"
const byAddress = (email: string) => `approvers.any(user, user.email == '${email}')`
const denies = (consensus: string) => newPolicy({ consensus, condition: exporting })
const allows = (consensus: string) =>
  newPolicy({ effect: 'EFFECT_ALLOW', consensus, condition: "activity.action == 'SIGN'" })

const puts = (userTagId: string, userId: string) =>
  ['update_user_tag', { userTagId, addUserIds: [userId], removeUserIds: [] }] as const
const takes = (userTagId: string, userId: string) =>
  ['update_user_tag', { userTagId, addUserIds: [], removeUserIds: [userId] }] as const

/** A wide list of a key that waits while a narrow one is set. */
function widerListOf(publicKey: string) {
  const list = (cidr: string) => {
    const rules = [{ cidr, label: 'office' }]
    return ['set_ip_allowlist', { publicKey, rules }] as const
  }
  return { first: list('203.0.112.0/20'), between: [list('203.0.113.7/32')] }
}

async function keyWithTag({ done }: Pick<TestOrganization, 'done'>) {
  const made = { privateKeyName: 'cold', curve: 'CURVE_SECP256K1', addressFormats: [], privateKeyTags: [] }
  const { privateKeys } = await done('create_private_keys', { privateKeys: [made] })
  const keyId = privateKeys[0].privateKeyId
  const tag = { privateKeyTagName: 'Cold', privateKeyIds: [keyId] }
  const { privateKeyTagId } = await done('create_private_key_tag', tag)
  const given = { privateKeyTagId, addPrivateKeyIds: [], removePrivateKeyIds: [] }
  const taken = ['update_private_key_tag', { ...given, removePrivateKeyIds: [keyId] }] as const
  return { keyId, privateKeyTagId, taken, condition: `private_key.tags.contains('${privateKeyTagId}')` }
}

const settings: Readonly<Record<string, ChangeCase>> = {
  'a root quorum, which another request made stricter': {
    prepare: async ({ rootUserId, secondId, thirdId }) => {
      const quorum = (threshold: number, userIds: readonly string[]) =>
        ['update_root_quorum', { threshold, userIds }] as const
      const named = quorum(2, [rootUserId, secondId, thirdId])
      return { first: named, between: [quorum(1, [rootUserId, secondId]), quorum(2, [rootUserId, secondId])] }
    },
    changed: /the root quorum changed/,
  },
  'a name of the organization that got another one': {
    prepare: async () => ({
      first: ['update_organization_name', { organizationName: 'Before' }],
      between: [['update_organization_name', { organizationName: 'After' }]],
    }),
    changed: /the name of the organization changed/,
  },
  'tags of a user, which another request added to': {
    prepare: async (made) => {
      const [other, suspended] = [await newTag(made, 'Football'), await newTag(made, 'Suspended')]
      const first = ['update_user', { userId: made.thirdId, userTagIds: [other] }] as const
      return { first, between: [puts(suspended, made.thirdId)] }
    },
    changed: /the tag .* of the user /,
  },
  'the end of a tag of a user who lost and got it again': {
    prepare: async (made) => {
      const suspended = await newTag(made, 'Suspended')
      await made.done(...puts(suspended, made.thirdId))
      const first = takes(suspended, made.thirdId)
      return { first, between: [first, puts(suspended, made.thirdId)] }
    },
    changed: /the tag .* of the user /,
  },
  'the end of a tag that somebody got': {
    prepare: async (made) => {
      const suspended = await newTag(made, 'Suspended')
      const first = ['delete_user_tags', { userTagIds: [suspended] }] as const
      return { first, between: [puts(suspended, made.thirdId)] }
    },
    changed: /the tag .* of the user /,
  },
  'an address of a user who got another one': {
    prepare: async ({ done, thirdId: userId }) => {
      await done('update_user_email', { userId, userEmail: 'a@example.org' })
      return {
        first: ['update_user_email', { userId, userEmail: 'old@example.org' }],
        between: [['update_user_email', { userId, userEmail: 'new@example.org' }]],
      }
    },
    changed: /the address of the user /,
  },
  'a name of a user who got another one': {
    prepare: async ({ thirdId: userId }) => ({
      first: ['update_user_name', { userId, userName: 'Mallory' }],
      between: [['update_user', { userId, userName: 'Suspended Mallory' }]],
    }),
    changed: /the name of the user /,
  },
  'a name of a wallet that got another one': {
    prepare: async ({ done }) => {
      const { walletId } = await done('create_wallet', { walletName: 'w', accounts: [] })
      return {
        first: ['update_wallet', { walletId, walletName: 'Renamed' }],
        between: [['update_wallet', { walletId, walletName: 'Cold' }]],
      }
    },
    changed: /the name of the wallet /,
  },
  'a list of addresses of a key, which became another one': {
    prepare: async ({ thirdId, found }) => {
      const { apiKeys } = await found('get_api_keys', { userId: thirdId })
      return widerListOf(apiKeys[0].credential.publicKey)
    },
    changed: /the key /,
  },
  'a list of addresses of a key that its user claims, which became another one': {
    prepare: async ({ anotherUser, submit }) => {
      const claimant = await anotherUser('claimant')
      const { publicKey } = generateApiKey()
      await submit('create_api_keys', { userId: claimant.userId, apiKeys: [newApiKey({ publicKey })] }, claimant)
      return widerListOf(publicKey)
    },
    changed: /the key /,
  },
  'nothing: a name of a user who gets an address, a number and a tag': {
    prepare: async (made) => {
      const { thirdId: userId } = made
      return {
        first: ['update_user_name', { userId, userName: 'Ada' }],
        between: [
          ['update_user_email', { userId, userEmail: 'ada@example.org' }],
          ['update_user_phone_number', { userId, userPhoneNumber: '+14155550123' }],
          puts(await newTag(made, 'Football'), userId),
        ],
      }
    },
  },
}

const lost: Readonly<Record<string, ChangeCase>> = {
  'a denial by a tag that somebody lost': {
    prepare: async (made) => {
      const tag = await newTag(made, 'Suspended')
      await made.done(...puts(tag, made.thirdId))
      return { first: ['create_policy', denies(byTag(tag))], between: [takes(tag, made.thirdId)] }
    },
    changed: /what a rule of it says of the user /,
  },
  'a denial that is to go by a tag, which its user lost': {
    prepare: async (made) => {
      const tag = await newTag(made, 'Suspended')
      await made.done(...puts(tag, made.thirdId))
      const { policyId } = await made.done('create_policy', denies(by(made.thirdId)))
      const first = ['update_policy', { policyId, policyConsensus: byTag(tag) }] as const
      return { first, between: [takes(tag, made.thirdId)] }
    },
    changed: /what a rule of it says of the user /,
  },
  'a denial by a tag in whose place somebody got another one': {
    prepare: async (made) => {
      const [tag, other] = [await newTag(made, 'Suspended'), await newTag(made, 'Football')]
      await made.done(...puts(tag, made.thirdId))
      const first = ['create_policy', denies(byTag(tag))] as const
      return { first, between: [['update_user', { userId: made.thirdId, userTagIds: [other] }]] }
    },
    changed: /what a rule of it says of the user /,
  },
  'a denial by a tag that was deleted': {
    prepare: async (made) => {
      const tag = await newTag(made, 'Suspended')
      await made.done(...puts(tag, made.thirdId))
      return { first: ['create_policy', denies(byTag(tag))], between: [['delete_user_tags', { userTagIds: [tag] }]] }
    },
    changed: /what a rule of it says of the user /,
  },
  'a denial by an address that somebody lost': {
    prepare: async ({ done, thirdId: userId }) => {
      await done('update_user_email', { userId, userEmail: 'mallory@example.org' })
      const first = ['create_policy', denies(byAddress('mallory@example.org'))] as const
      return { first, between: [['update_user_email', { userId, userEmail: 'other@example.org' }]] }
    },
    changed: /what a rule of it says of the user /,
  },
  'a denial by a tag of keys, which a key lost': {
    prepare: async (made) => {
      const { condition, taken } = await keyWithTag(made)
      const policy = newPolicy({ condition: `${exporting} && ${condition}` })
      return { first: ['create_policy', policy], between: [taken] }
    },
    changed: /what a rule of it says of the private key /,
  },
  'a denial by the name of a wallet, which got another one': {
    prepare: async ({ done }) => {
      const { walletId } = await done('create_wallet', { walletName: 'Cold', accounts: [] })
      const policy = newPolicy({ condition: `${exporting} && wallet.label == 'Cold'` })
      const renamed = ['update_wallet', { walletId, walletName: 'Other' }] as const
      return { first: ['create_policy', policy], between: [renamed] }
    },
    changed: /what a rule of it says of the wallet /,
  },
  'a policy by a tag with which somebody was invited': {
    prepare: async (made) => {
      const tag = await newTag(made, 'Treasury')
      const invitation = newInvitation(made.rootUserId, { receiverUserTags: [tag] })
      const between = [['create_invitations', { invitations: [invitation] }] as const]
      return { first: ['create_policy', allows(byTag(tag))], between }
    },
    changed: /what a rule of it says of the invitation /,
  },
  'an invitation with a tag, by which a new policy goes': {
    prepare: async (made) => {
      const tag = await newTag(made, 'Treasury')
      const invitation = newInvitation(made.rootUserId, { receiverUserTags: [tag] })
      const first = ['create_invitations', { invitations: [invitation] }] as const
      return { first, between: [['create_policy', allows(byTag(tag))]] }
    },
    changed: /the policy /,
  },
  'another address for a user, by whose old one a new denial goes': {
    prepare: async ({ done, thirdId: userId }) => {
      await done('update_user_email', { userId, userEmail: 'mallory@example.org' })
      return {
        first: ['update_user_email', { userId, userEmail: 'other@example.org' }],
        between: [['create_policy', denies(byAddress('mallory@example.org'))]],
      }
    },
    changed: /the policy /,
  },
  'other tags for a user, by one of whose old ones a new denial goes': {
    prepare: async (made) => {
      const [tag, other] = [await newTag(made, 'Suspended'), await newTag(made, 'Football')]
      await made.done(...puts(tag, made.thirdId))
      const first = ['update_user', { userId: made.thirdId, userTagIds: [other] }] as const
      return { first, between: [['create_policy', denies(byTag(tag))]] }
    },
    changed: /the policy /,
  },
  'the end of a tag of a key, by which a new MFA policy goes': {
    prepare: async (made) => {
      const { condition, taken } = await keyWithTag(made)
      const policy = { userId: made.thirdId, ...newMfaPolicy({ condition }) }
      return { first: taken, between: [['create_mfa_policy', policy]] }
    },
    changed: /the MFA policy /,
  },
  'the end of a denial by a tag that somebody got': {
    prepare: async (made) => {
      const tag = await newTag(made, 'Suspended')
      const { policyId } = await made.done('create_policy', denies(byTag(tag)))
      return { first: ['delete_policy', { policyId }], between: [puts(tag, made.thirdId)] }
    },
    changed: /what a rule of it says of the user /,
  },
}

const others: Readonly<Record<string, ChangeCase>> = {
  'nothing: a policy by a tag while somebody who has it gets and loses another one': {
    prepare: async (made) => {
      const [tag, other] = [await newTag(made, 'Treasury'), await newTag(made, 'Football')]
      await made.done(...puts(tag, made.thirdId))
      const between = [puts(other, made.thirdId), takes(other, made.thirdId)]
      return { first: ['create_policy', allows(byTag(tag))], between }
    },
  },
  'nothing: the end of a policy by a tag while somebody gets that tag': {
    prepare: async (made) => {
      const tag = await newTag(made, 'Treasury')
      const { policyId } = await made.done('create_policy', allows(byTag(tag)))
      return { first: ['delete_policy', { policyId }], between: [puts(tag, made.thirdId)] }
    },
  },
  'nothing: a policy by an address while its user gets a number': {
    prepare: async ({ done, thirdId: userId }) => {
      await done('update_user_email', { userId, userEmail: 'cfo@example.org' })
      const first = ['create_policy', allows(byAddress('cfo@example.org'))] as const
      return { first, between: [['update_user_phone_number', { userId, userPhoneNumber: '+14155550123' }]] }
    },
  },
  'nothing: a denial by a tag of keys while a key that has it gets another one': {
    prepare: async (made) => {
      const { condition, keyId } = await keyWithTag(made)
      const tag = { privateKeyTagName: 'Other', privateKeyIds: [keyId] }
      const first = ['create_policy', newPolicy({ condition: `${exporting} && ${condition}` })] as const
      return { first, between: [['create_private_key_tag', tag]] }
    },
  },
  'nothing: the end of a user who gets another name, address and tag': {
    prepare: async (made) => {
      const { thirdId: userId } = made
      const given = { userId, userName: 'Other', userEmail: 'other@example.org' }
      const between = [['update_user', given] as const, puts(await newTag(made, 'Football'), userId)]
      return { first: ['delete_users', { userIds: [userId] }], between }
    },
  },
}

const cold = async ({ done }: Pick<TestOrganization, 'done'>, walletName = 'Cold 1') =>
  (await done('create_wallet', { walletName, accounts: [] })).walletId
const newWallet = (walletName: string) => ['create_wallet', { walletName, accounts: [] }] as const
const deniesByLabel = (test: string) => ['create_policy', newPolicy({ condition: `${exporting} && ${test}` })] as const
const treasurers = "approvers.any(user, user.email[0..9] == 'treasury@')"

const compared: Readonly<Record<string, ChangeCase>> = {
  'a denial by the beginning of the name of a wallet, which got another one': {
    prepare: async (made) => {
      const renamed = ['update_wallet', { walletId: await cold(made), walletName: 'Warm 1' }] as const
      return { first: deniesByLabel("wallet.label[0..4] == 'Cold'"), between: [renamed] }
    },
    changed: /what a rule of it says of the wallet /,
  },
  'an exception by the beginning of a name that a wallet was too short for': {
    prepare: async (made) => {
      const renamed = ['update_wallet', { walletId: await cold(made, 'W'), walletName: 'Warm' }] as const
      return { first: deniesByLabel("wallet.label[0..4] != 'Cold'"), between: [renamed] }
    },
    changed: /what a rule of it says of the wallet /,
  },
  'a policy by the beginning of an address that somebody got': {
    prepare: async ({ thirdId: userId }) => ({
      first: ['create_policy', allows(treasurers)],
      between: [['update_user_email', { userId, userEmail: 'treasury@example.org' }]],
    }),
    changed: /what a rule of it says of the user /,
  },
  'an address for a user, by whose beginning a new policy goes': {
    prepare: async ({ thirdId: userId }) => ({
      first: ['update_user_email', { userId, userEmail: 'treasury@example.org' }],
      between: [['create_policy', allows(treasurers)]],
    }),
    changed: /the policy /,
  },
  'a denial of users without an address, which somebody got': {
    prepare: async ({ thirdId: userId }) => ({
      first: ['create_policy', denies(byAddress(''))],
      between: [['update_user_email', { userId, userEmail: 'a@example.org' }]],
    }),
    changed: /what a rule of it says of the user /,
  },
  'a policy by an address that is the name, which somebody got': {
    prepare: async ({ thirdId: userId }) => ({
      first: ['create_policy', allows('approvers.any(user, user.email == user.alias)')],
      between: [['update_user_email', { userId, userEmail: 'a@example.org' }]],
    }),
    changed: /what a rule of it says of the user /,
  },
  'a policy by having only some tags while somebody gets another one': {
    prepare: async (made) => {
      const [tag, other] = [await newTag(made, 'Treasury'), await newTag(made, 'Football')]
      const consensus = `approvers.any(user, user.tags.all(tag, tag == '${tag}'))`
      return { first: ['create_policy', allows(consensus)], between: [puts(other, made.thirdId)] }
    },
    changed: /what a rule of it says of the user /,
  },
  'nothing: a denial of exports of a wallet while wallets and users are made who are called as its other words': {
    prepare: async (made) => {
      const walletId = await cold(made)
      const apiKeys = [newApiKey({ publicKey: generateApiKey().publicKey })]
      return {
        first: deniesByLabel(`wallet.id == '${walletId}'`),
        between: [
          ...['EXPORT', 'Export', walletId].map(newWallet),
          ['create_users', { users: [newUser({ userName: 'EXPORT', apiKeys })] }],
          ['update_user_name', { userId: made.thirdId, userName: walletId }],
        ],
      }
    },
  },
  'nothing: a denial by the beginning of a name while wallets with other names and a short one are made': {
    prepare: async () => ({
      first: deniesByLabel("wallet.label[0..4] == 'Cold'"),
      between: ['Warm 1', 'W'].map(newWallet),
    }),
  },
  'nothing: a policy by a tag while another user gets a name and 99 other tags at once': {
    prepare: async (made) => {
      const tag = await newTag(made, 'Treasury')
      const userTagIds: string[] = []
      for (let index = 0; index < 99; index += 1) userTagIds.push(await newTag(made, `Team ${index}`))
      const given = { userId: made.thirdId, userName: 'other', userTagIds }
      return { first: ['create_policy', allows(byTag(tag))], between: [['update_user', given]] }
    },
  },
  'nothing: another name for a user while a new denial has it among its other words': {
    prepare: async ({ thirdId: userId }) => ({
      first: ['update_user_name', { userId, userName: 'EXPORT' }],
      between: [['create_policy', denies(by(userId))]],
    }),
  },
}

testChanges({ ...settings, ...lost, ...others, ...compared })
