import { expect, test } from 'vitest'
import { newTarget } from '../support/bundles.ts'
import { by, byTag, type ChangeCase, newTag, testChanges } from '../support/changed_since.ts'
import { newApiKey, newMfaPolicy, newPolicy, startOrganization } from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** A request that waits for votes is not what was approved any more once the things that it names have changed. */

const exportsOf = (walletId: string) => `activity.kind == 'EXPORT_WALLET' && wallet.id == '${walletId}'`
const cases: Readonly<Record<string, ChangeCase>> = {
  'an update of a policy that another update has changed': {
    prepare: async ({ done, secondId }) => {
      const walletId = '01980000-0000-7000-8000-000000000001'
      const denial = { policyName: 'Exports', effect: 'EFFECT_DENY', condition: exportsOf(walletId), notes: '' }
      const { policyId } = await done('create_policy', denial)
      const opens = { policyId, policyEffect: 'EFFECT_ALLOW', policyConsensus: by(secondId) }
      const first = ['update_policy', { policyId, policyCondition: "activity.kind == 'EXPORT_WALLET'" }] as const
      return { first, between: [['update_policy', opens]] }
    },
    changed: /the policy /,
  },
  'the deletion of an allowance that became a denial': {
    prepare: async ({ done, thirdId }) => {
      const { policyId } = await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', consensus: by(thirdId) }))
      const denies = { policyId, policyEffect: 'EFFECT_DENY' }
      return { first: ['delete_policy', { policyId }], between: [['update_policy', denies]] }
    },
    changed: /the policy /,
  },
  'a tag for a user, by which a new policy goes': {
    prepare: async (made) => {
      const userTagId = await newTag(made, 'Treasury')
      const policy = newPolicy({ effect: 'EFFECT_ALLOW', consensus: byTag(userTagId) })
      const tagged = { userTagId, addUserIds: [made.thirdId], removeUserIds: [] }
      return { first: ['update_user_tag', tagged], between: [['create_policy', policy]] }
    },
    changed: /the policy /,
  },
  'a policy by a tag that somebody got': {
    prepare: async (made) => {
      const userTagId = await newTag(made, 'Treasury')
      const policy = newPolicy({ effect: 'EFFECT_ALLOW', consensus: byTag(userTagId) })
      const tagged = { userTagId, addUserIds: [made.thirdId], removeUserIds: [] }
      return { first: ['create_policy', policy], between: [['update_user_tag', tagged]] }
    },
    changed: /what a rule of it says of the user /,
  },
  'an update of a policy that keeps a tag, which somebody got': {
    prepare: async (made) => {
      const userTagId = await newTag(made, 'Treasury')
      const policy = newPolicy({ effect: 'EFFECT_ALLOW', consensus: byTag(userTagId) })
      const { policyId } = await made.done('create_policy', policy)
      const tagged = { userTagId, addUserIds: [made.thirdId], removeUserIds: [] }
      const first = ['update_policy', { policyId, policyCondition: "activity.action == 'SIGN'" }] as const
      return { first, between: [['update_user_tag', tagged]] }
    },
    changed: /what a rule of it says of the user /,
  },
  'a policy by a tag of keys, which a key got': {
    prepare: async ({ done }) => {
      const made = { curve: 'CURVE_SECP256K1', addressFormats: [], privateKeyTags: [] }
      const privateKeys = [{ ...made, privateKeyName: 'cold' }]
      const { privateKeys: keys } = await done('create_private_keys', { privateKeys })
      const tag = { privateKeyTagName: 'hot', privateKeyIds: [] }
      const { privateKeyTagId } = await done('create_private_key_tag', tag)
      const condition = `private_key.tags.contains('${privateKeyTagId}')`
      const policy = newPolicy({ effect: 'EFFECT_ALLOW', condition, consensus: 'true' })
      const addPrivateKeyIds = [keys[0].privateKeyId]
      const tagged = { privateKeyTagId, addPrivateKeyIds, removePrivateKeyIds: [] }
      return { first: ['create_policy', policy], between: [['update_private_key_tag', tagged]] }
    },
    changed: /what a rule of it says of the private key /,
  },
  'a policy by the number of tags, which somebody got': {
    prepare: async (made) => {
      const userTagId = await newTag(made, 'Treasury')
      const consensus = 'approvers.any(user, user.tags.count() >= 1)'
      const tagged = { userTagId, addUserIds: [made.thirdId], removeUserIds: [] }
      const first = ['create_policy', newPolicy({ effect: 'EFFECT_ALLOW', consensus })] as const
      return { first, between: [['update_user_tag', tagged]] }
    },
    changed: /what a rule of it says of the user /,
  },
  'a policy by an address that somebody got': {
    prepare: async ({ thirdId: userId }) => {
      const consensus = "approvers.any(user, user.email == 'ada@example.org')"
      const named = { userId, userEmail: 'ada@example.org' }
      const first = ['create_policy', newPolicy({ effect: 'EFFECT_ALLOW', consensus })] as const
      return { first, between: [['update_user_email', named]] }
    },
    changed: /what a rule of it says of the user /,
  },
  'a light MFA policy before a heavy one that is made later': {
    prepare: async ({ thirdId: userId }) => {
      const light = newMfaPolicy({ mfaPolicyName: 'light', condition: 'true', order: 0 })
      const heavy = newMfaPolicy({ mfaPolicyName: 'heavy', condition: 'true', order: 5 })
      return {
        first: ['create_mfa_policy', { userId, ...light }],
        between: [['create_mfa_policy', { userId, ...heavy }]],
      }
    },
    changed: /the MFA policies of the user /,
  },
  'the removal of a list that was made stricter': {
    prepare: async ({ done }) => {
      const list = (cidr: string) => ({ rules: [{ cidr, label: 'office' }], enabled: false, onEvaluationError: 'DENY' })
      await done('set_ip_allowlist', list('203.0.112.0/20'))
      return { first: ['remove_ip_allowlist', {}], between: [['set_ip_allowlist', list('203.0.113.7/32')]] }
    },
    changed: /the ip allowlist/,
  },
  'the removal of a feature that got another value': {
    prepare: async ({ done }) => {
      const feature = (value: string) => ({ name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value })
      await done('set_organization_feature', feature('https://a.example'))
      const first = ['remove_organization_feature', { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS' }] as const
      return { first, between: [['set_organization_feature', feature('https://b.example')]] }
    },
    changed: /the feature/,
  },
  'a value of a feature that was removed': {
    prepare: async ({ done }) => {
      const feature = (value: string) =>
        ['set_organization_feature', { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value }] as const
      await done(...feature('https://a.example'))
      const between = ['remove_organization_feature', { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS' }] as const
      return { first: feature('https://b.example'), between: [between] }
    },
    changed: /the feature/,
  },
  'a further origin of an auth proxy that was disabled': {
    prepare: async ({ done }) => {
      const proxy = (...allowedOrigins: string[]) =>
        ['enable_auth_proxy', { allowedOrigins, operations: ['otp_init_v2'], appName: 'app' }] as const
      await done(...proxy('https://a.example'))
      return { first: proxy('https://a.example', 'https://b.example'), between: [['disable_auth_proxy', {}]] }
    },
    changed: /the auth proxy/,
  },
  'a list that was removed': {
    prepare: async ({ done }) => {
      const list = (cidr: string) =>
        ['set_ip_allowlist', { rules: [{ cidr, label: 'office' }], enabled: false }] as const
      await done(...list('203.0.113.0/24'))
      return { first: list('203.0.112.0/20'), between: [['remove_ip_allowlist', {}]] }
    },
    changed: /the ip allowlist/,
  },
  'nothing: a feature that was removed and is set while another one is removed': {
    prepare: async ({ done }) => {
      const origins = [
        'set_organization_feature',
        { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value: 'https://a.example' },
      ] as const
      const removed = ['remove_organization_feature', { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS' }] as const
      await done(...origins)
      await done(...removed)
      await done('set_organization_feature', { name: 'FEATURE_NAME_WEBHOOK', value: 'https://a.example/hook' })
      return { first: origins, between: [['remove_organization_feature', { name: 'FEATURE_NAME_WEBHOOK' }]] }
    },
  },
  'an update of an MFA policy that another update has changed': {
    prepare: async ({ done, thirdId: userId }) => {
      const { mfaPolicyId } = await done('create_mfa_policy', { userId, ...newMfaPolicy({ condition: 'true' }) })
      const named = { userId, mfaPolicyId }
      return {
        first: ['update_mfa_policy', { ...named, condition: "activity.action == 'EXPORT'" }],
        between: [['update_mfa_policy', { ...named, order: 7 }]],
      }
    },
    changed: /the MFA policies of the user /,
  },
  'a name for a user, by which a new policy goes': {
    prepare: async ({ thirdId: userId }) => {
      const policy = newPolicy({
        effect: 'EFFECT_ALLOW',
        consensus: "approvers.any(user, user.email == 'ada@example.org')",
      })
      const named = { userId, userEmail: 'ada@example.org' }
      return { first: ['update_user_email', named], between: [['create_policy', policy]] }
    },
    changed: /the policy /,
  },
  'a link that would go to another address': {
    prepare: async ({ done, thirdId: userId }) => {
      await done('update_user_email', { userId, userEmail: 'ada@example.org' })
      const moved = { userId, userEmail: 'mallory@example.org' }
      return { first: ['create_passkey_link', { userId, sendEmail: true }], between: [['update_user_email', moved]] }
    },
    changed: /the address or the number of the user /,
  },
  'a recovery that would be of another user': {
    prepare: async ({ done, thirdId, secondId }) => {
      await done('update_user_email', { userId: thirdId, userEmail: 'ada@example.org' })
      const { targetPublicKey } = newTarget()
      const recovery = { email: 'ada@example.org', targetPublicKey, emailCustomization: { appName: 'Acme' } }
      return {
        first: ['init_user_email_recovery', recovery],
        between: [
          ['update_user_email', { userId: thirdId, userEmail: 'other@example.org' }],
          ['update_user_email', { userId: secondId, userEmail: 'ada@example.org' }],
        ],
      }
    },
    changed: /the address or the number of the user /,
  },
  'nothing: the deletion of a user who gets another address': {
    prepare: async ({ thirdId: userId }) => ({
      first: ['delete_users', { userIds: [userId] }],
      between: [['update_user_email', { userId, userEmail: 'other@example.org' }]],
    }),
  },
  'nothing: a policy by a tag while somebody gets another one': {
    prepare: async (made) => {
      const [userTagId, otherId] = [await newTag(made, 'Treasury'), await newTag(made, 'Others')]
      const policy = newPolicy({ effect: 'EFFECT_ALLOW', consensus: byTag(userTagId) })
      const tagged = { userTagId: otherId, addUserIds: [made.thirdId], removeUserIds: [] }
      return { first: ['create_policy', policy], between: [['update_user_tag', tagged]] }
    },
  },
  'nothing: another policy, another tag, a login and a new key of the user it is about': {
    prepare: async (made) => {
      const { done, thirdId: userId } = made
      const [userTagId, otherId] = [await newTag(made, 'Treasury'), await newTag(made, 'Others')]
      await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', consensus: byTag(userTagId) }))
      const apiKeys = [newApiKey({ publicKey: generateApiKey().publicKey })]
      return {
        first: ['update_user_tag', { userTagId, addUserIds: [userId], removeUserIds: [] }],
        between: [
          ['create_policy', newPolicy({ policyName: 'other', effect: 'EFFECT_ALLOW', consensus: byTag(otherId) })],
          ['create_api_keys', { userId, apiKeys }],
          ['stamp_login', { publicKey: generateApiKey().publicKey }],
        ],
      }
    },
  },
}

testChanges(cases)

test('a submitter whose own approval has ended cannot keep those of others and let the request go later', async () => {
  const { anotherUser, done, submit, clock, rootUserId } = await startOrganization()
  const second = await anotherUser('second')
  const own = generateApiKey()
  const added = { userId: rootUserId, apiKeys: [newApiKey({ publicKey: own.publicKey })] }
  const { apiKeyIds } = await done('create_api_keys', added)
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
  const given = { organizationName: 'Renamed' }
  const { fingerprint } = (await submit('update_organization_name', given, { apiKey: own })).body.activity
  await done('delete_api_keys', { userId: rootUserId, apiKeyIds })
  const statusAfter = async (ask = {}) => {
    clock.nowMs += 1
    return (await submit('approve_activity', { fingerprint }, ask)).body.activity.status
  }
  expect(await statusAfter(second)).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  expect(await statusAfter()).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  expect(await statusAfter(second)).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('a user who has lost the tag by which a policy asked votes no more', async () => {
  const made = await startOrganization()
  const { anotherUser, done, submit, found, clock } = made
  const [asker, former, member] = [await anotherUser('asker'), await anotherUser('former'), await anotherUser('member')]
  const userIds = [former.userId, member.userId]
  const { userTagId } = await done('create_user_tag', { userTagName: 'Treasury', userIds })
  const condition = "activity.kind == 'CREATE_WALLET'"
  await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', consensus: byTag(userTagId), condition }))
  const asked = (await submit('create_wallet', { walletName: 'w', accounts: [] }, asker)).body.activity
  clock.nowMs += 1
  await done('update_user_tag', { userTagId, addUserIds: [], removeUserIds: [former.userId] })
  const { activity } = await found('get_activity', { activityId: asked.id }, former)
  expect(activity).toMatchObject({ canApprove: false, canReject: false })
  const { fingerprint } = asked
  expect((await submit('reject_activity', { fingerprint }, former)).status).toBe(403)
  expect((await submit('approve_activity', { fingerprint }, member)).body.activity.status).toBe(
    'ACTIVITY_STATUS_COMPLETED',
  )
})
