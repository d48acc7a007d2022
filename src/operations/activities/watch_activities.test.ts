import { expect, test } from 'vitest'
import { expectRefused, newUser, startOrganization } from '../../../test/support/organization.ts'

const { found, done, query, submit, anotherUser, rootUserId } = await startOrganization()
const another = await anotherUser()
await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, another.userId] })
const watched = () => found('watch_activities')

test('an activity that waits stands there in a new version after each vote, until it has ended', async () => {
  const before = await watched()
  expect(before.waiting).toEqual([])
  const { body } = await submit('create_user_tag', { userTagName: 'Board', userIds: [] })
  const { id: activityId, fingerprint } = body.activity
  const asked = await watched()
  expect(asked.waiting).toEqual([{ activityId, version: 1 }])
  expect(asked.organizationVersion).toBe(before.organizationVersion + 1)
  expect(await found('watch_activities', {}, { apiKey: another.apiKey })).toEqual(asked)
  await submit('reject_activity', { fingerprint }, { apiKey: another.apiKey })
  const ended = await watched()
  expect(ended.waiting).toEqual([])
  expect(ended.organizationVersion).toBe(asked.organizationVersion + 1)
})

test('what decides about activities has another digest after a change of users, and the same after a new wallet', async () => {
  await done('update_root_quorum', { threshold: 1, userIds: [rootUserId] }).catch(() => undefined)
  const quorum = await found('list_activities', { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] })
  const before = await watched()
  for (const { fingerprint } of quorum.activities) {
    await submit('approve_activity', { fingerprint }, { apiKey: another.apiKey })
  }
  const ofOne = await watched()
  expect(ofOne.rulesDigest).not.toBe(before.rulesDigest)
  await done('create_wallet', { walletName: 'Treasury', accounts: [] })
  const withWallet = await watched()
  expect(withWallet.rulesDigest).toBe(ofOne.rulesDigest)
  expect(withWallet.organizationVersion).toBe(ofOne.organizationVersion + 1)
  await done('create_users', { users: [newUser({ userName: 'Grace' })] })
  expect((await watched()).rulesDigest).not.toBe(ofOne.rulesDigest)
})

test('nothing but the organization can be named', async () => {
  expectRefused(await query('watch_activities', { activityId: rootUserId }), 400, 'activityId')
})
