import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newApiKey,
  newUser,
  repeated,
  startOrganization,
} from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const { server, rootUserId, submit, query, done, found, anotherUser } = await startOrganization({
  limits: { usersMax: 110 },
})
const userIdsOf = async () => (await found('list_users')).users.map(({ userId }: { userId: string }) => userId)

test('deleted users are not found and their keys stamp nothing; an id given twice counts once', async () => {
  const [first, second, stays] = [await anotherUser(), await anotherUser(), await anotherUser()]
  await done('create_user_tag', { userTagName: 'gone', userIds: [first.userId, stays.userId] })
  const result = await done('delete_users', { userIds: [second.userId, first.userId.toUpperCase(), first.userId] })
  expect(result).toStrictEqual({ userIds: [second.userId, first.userId] })

  for (const { userId, apiKey } of [first, second]) {
    expectRefused(await query('whoami', {}, { apiKey }), 401, 'could not find public key in organization')
    expectRefused(await submit('create_api_keys', { userId, apiKeys: [newApiKey()] }, { apiKey }), 401)
    expectRefused(await query('get_user', { userId }), 404, `there is no user ${userId} in this organization`)
    expectRefused(await submit('delete_users', { userIds: [userId] }), 404, `userIds[0]: there is no user ${userId}`)
    expect(await userIdsOf()).not.toContain(userId)
  }
  expect((await found('whoami', {}, { apiKey: stays.apiKey })).userId).toBe(stays.userId)
})

test('a key of a deleted user may be added to another user, and then stands for that user', async () => {
  const { userId, apiKey } = await anotherUser()
  await done('delete_users', { userIds: [userId] })
  const apiKeys = [newApiKey({ publicKey: apiKey.publicKey })]
  const [next] = (await done('create_users', { users: [newUser({ apiKeys })] })).userIds
  expect((await found('whoami', {}, { apiKey })).userId).toBe(next)
})

test("the activities of a deleted user keep the user's name", async () => {
  const { userId, apiKey } = await anotherUser('Ada')
  const { body } = await submit('create_api_keys', { userId, apiKeys: [newApiKey()] }, { apiKey })
  const { id: activityId } = body.activity
  const before = (await found('get_activity', { activityId })).activity
  await done('delete_users', { userIds: [userId] })
  const after = (await found('get_activity', { activityId })).activity
  expect(after.votes).toEqual([{ ...before.votes[0], user: expect.objectContaining({ userId, userName: 'Ada' }) }])
  expect(after.votes[0].user.apiKeys).toEqual([])
  const { activities } = await found('list_activities', { paginationOptions: { limit: '100' } })
  expect(activities.find(({ id }: { id: string }) => id === activityId)).toEqual(after)
})

test('a sub-organization is no longer found by its deleted user', async () => {
  const [rootKey, goneKey] = [generateApiKey(), generateApiKey()]
  const rootUser = (apiKey: { publicKey: string }, given: object = {}) => {
    const apiKeys = [newApiKey({ publicKey: apiKey.publicKey })]
    return { userName: 'root', apiKeys, authenticators: [], oauthProviders: [], ...given }
  }
  const gone = { userName: 'gone', userEmail: 'gone@example.com', userPhoneNumber: '+14155550123' }
  const { subOrganizationId, rootUserIds } = await done('create_sub_organization', {
    subOrganizationName: 'sub',
    rootQuorumThreshold: 1,
    rootUsers: [rootUser(rootKey), rootUser(goneKey, gone)],
  })
  const ask = { organizationId: subOrganizationId, apiKey: rootKey }
  const filters = [
    ['USERNAME', gone.userName],
    ['EMAIL', gone.userEmail],
    ['PHONE_NUMBER', gone.userPhoneNumber],
    ['PUBLIC_KEY', goneKey.publicKey],
  ] as const
  const holders = async () => {
    const answers = filters.map(([filterType, filterValue]) => found('list_suborgs', { filterType, filterValue }))
    return (await Promise.all(answers)).map(({ organizationIds }) => organizationIds)
  }
  expect(await holders()).toEqual(filters.map(() => [subOrganizationId]))
  await done('update_root_quorum', { threshold: 1, userIds: [rootUserIds[0]] }, ask)
  await done('delete_users', { userIds: [rootUserIds[1]] }, ask)
  expect(await holders()).toEqual(filters.map(() => []))
})

describe('invalid requests are refused', async () => {
  const other = await server.createOrganization()
  const { userId } = await anotherUser()
  for (const [claim, userIds, status, text] of [
    ['no user', [], 400, 'parameters.userIds must be a list of 1 to 100'],
    ['101 users', repeated(101, () => userId), 400, 'parameters.userIds must be a list of 1 to 100'],
    ['an unknown user', [userId, absentId], 404, `userIds[1]: there is no user ${absentId}`],
    ["another organization's user", [other.userId], 404, `parameters.userIds[0]: there is no user ${other.userId}`],
    [
      'a member of the root quorum',
      [userId, rootUserId.toUpperCase()],
      400,
      'parameters.userIds[1]: this user is in the root quorum: take them out of it with update_root_quorum first',
    ],
  ] as const) {
    test(claim, async () => {
      const before = await userIdsOf()
      expectRefused(await submit('delete_users', { userIds }), status, text)
      expect(await userIdsOf()).toEqual(before)
    })
  }
})

test('users outside of the root quorum may delete nobody, not even themselves', async () => {
  const { userId, apiKey } = await anotherUser()
  expectRefused(await submit('delete_users', { userIds: [userId] }, { apiKey }), 403)
})

test('one of two simultaneous deletions of a user succeeds, the other finds no user', async () => {
  const { userId } = await anotherUser()
  const answers = await Promise.all(repeated(2, () => submit('delete_users', { userIds: [userId] })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
})

test('a hundred users are deleted at once and make room for others', async () => {
  const there = await userIdsOf()
  await done('delete_users', { userIds: there.filter((userId: string) => userId !== rootUserId) })
  const users = repeated(100, () => newUser({ apiKeys: [newApiKey()] }))
  for (let time = 0; time < 2; time += 1) {
    const { userIds } = await done('create_users', {
      users: users.map((user) => ({ ...user, apiKeys: [newApiKey()] })),
    })
    expect(await done('delete_users', { userIds })).toStrictEqual({ userIds })
  }
  expect(await userIdsOf()).toEqual([rootUserId])
})

test("a former quorum member may be deleted; the user's approvals then do not count, and the user's requests fail", async () => {
  const organization = await startOrganization()
  const { rootUserId: rootId, rootKey } = organization
  const [second, third] = [await organization.anotherUser('second'), await organization.anotherUser('third')]
  const quorumOf = (threshold: number, ...userIds: readonly string[]) => ({ threshold, userIds })
  await organization.done('update_root_quorum', quorumOf(2, rootId, second.userId, third.userId))
  const rename = async (organizationName: string, apiKey = rootKey) =>
    (await organization.submit('update_organization_name', { organizationName }, { apiKey })).body.activity
  const approve = async ({ fingerprint }: { fingerprint: string }, apiKey = rootKey) =>
    (await organization.submit('approve_activity', { fingerprint }, { apiKey })).body.activity

  const asked = await rename('Asked by the second', second.apiKey)
  const leaving = await organization.submit('update_root_quorum', quorumOf(2, rootId, third.userId))
  expect((await approve(leaving.body.activity, second.apiKey)).status).toBe('ACTIVITY_STATUS_COMPLETED')
  const deletion = (await organization.submit('delete_users', { userIds: [second.userId] })).body.activity
  expect(await approve(deletion, third.apiKey)).toMatchObject({
    status: 'ACTIVITY_STATUS_COMPLETED',
    result: { deleteUsersResult: { userIds: [second.userId] } },
  })

  // The deleted user's own approval no longer counts, so the root user's is the first.
  expect(await approve(asked)).toMatchObject({ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' })
  expect(await approve(asked, third.apiKey)).toMatchObject({
    status: 'ACTIVITY_STATUS_FAILED',
    failure: { code: 5, message: expect.stringContaining('the user who submitted this activity is gone') },
    votes: [{ user: { userName: 'second' } }, { user: { userId: rootId } }, { user: { userId: third.userId } }],
  })
  expect((await organization.found('whoami')).organizationName).not.toBe('Asked by the second')
})
