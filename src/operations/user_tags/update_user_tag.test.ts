import { describe, expect, test } from 'vitest'
import { absentId, expectRefused, newUser, repeated, startOrganization } from '../../../test/support/organization.ts'

const { server, clock, rootUserId, submit, done, found, anotherUser } = await startOrganization({
  limits: { usersMax: 300 },
})
const { userTagId } = await done('create_user_tag', { userTagName: 'before', userIds: [] })
const { userTagId: otherTagId } = await done('create_user_tag', { userTagName: 'taken', userIds: [] })
await done('create_private_key_tag', { privateKeyTagName: 'taken by keys', privateKeyIds: [] })
const nothing = { addUserIds: [], removeUserIds: [] }

const userOf = async (userId: string) => (await found('get_user', { userId })).user
const tagOf = async () =>
  (await found('list_user_tags')).userTags.find(({ tagId }: { tagId: string }) => tagId === userTagId)

test('users are added and removed, and keep their other tags', async () => {
  const [first, second] = [(await anotherUser()).userId, (await anotherUser()).userId]
  await done('update_user_tag', { userTagId: otherTagId, addUserIds: [first, second], removeUserIds: [] })
  expect(await done('update_user_tag', { userTagId, addUserIds: [first], removeUserIds: [] })).toStrictEqual({
    userTagId,
  })
  expect((await userOf(first)).userTags).toEqual([otherTagId, userTagId])

  clock.nowMs += 5_000
  await done('update_user_tag', {
    userTagId: userTagId.toUpperCase(),
    addUserIds: [second.toUpperCase(), second],
    removeUserIds: [first, first.toUpperCase()],
  })
  expect((await userOf(first)).userTags).toEqual([otherTagId])
  expect((await userOf(second)).userTags).toEqual([otherTagId, userTagId])
})

test('adding users with the tag and removing users without it changes nothing', async () => {
  const [tagged, untagged] = [(await anotherUser()).userId, (await anotherUser()).userId]
  await done('update_user_tag', { userTagId, addUserIds: [tagged], removeUserIds: [] })
  const before = [await userOf(tagged), await userOf(untagged)]
  clock.nowMs += 5_000
  await done('update_user_tag', { userTagId, addUserIds: [tagged], removeUserIds: [untagged] })
  expect([await userOf(tagged), await userOf(untagged)]).toEqual(before)
})

test('the tag is renamed: the old name is free, its own name may be given again', async () => {
  const before = await tagOf()
  clock.nowMs += 5_000
  for (const newUserTagName of ['after', 'after']) {
    await done('update_user_tag', { userTagId, newUserTagName, ...nothing })
  }
  const after = await tagOf()
  expect(after).toEqual({ ...before, tagName: 'after', updatedAt: after.updatedAt })
  expect(after.updatedAt).not.toEqual(before.updatedAt)
  await done('create_user_tag', { userTagName: 'before', userIds: [] })
})

test('without a name the tag keeps its own', async () => {
  const before = await tagOf()
  clock.nowMs += 5_000
  const { userId } = await anotherUser()
  await done('update_user_tag', { userTagId, newUserTagName: null, addUserIds: [userId], removeUserIds: [] })
  expect(await tagOf()).toEqual(before)
})

test('a hundred are added, and a hundred removed while another hundred is added', async () => {
  const hundred = async () => (await done('create_users', { users: repeated(100, () => newUser()) })).userIds
  const [first, second] = [await hundred(), await hundred()]
  await done('update_user_tag', { userTagId: otherTagId, addUserIds: first, removeUserIds: [] })
  await done('update_user_tag', { userTagId: otherTagId, addUserIds: second, removeUserIds: first })
  const { users } = await found('list_users')
  const taggedOf = (ids: string[]) =>
    users.filter((user: { userId: string; userTags: string[] }) => {
      return ids.includes(user.userId) && user.userTags.includes(otherTagId)
    })
  expect([taggedOf(first).length, taggedOf(second).length]).toEqual([0, 100])
})

describe('invalid requests are refused', async () => {
  const other = await server.createOrganization()
  const hundredAndOne = repeated(101, () => rootUserId)
  for (const [claim, change, status, text] of [
    ['the name of another tag', { newUserTagName: 'taken' }, 400, 'already in use: parameters.newUserTagName'],
    ['the name of a key tag', { newUserTagName: 'taken by keys' }, 400, 'already in use: parameters.newUserTagName'],
    ['an empty name', { newUserTagName: '' }, 400, 'parameters.newUserTagName must be a text of 1 to 256'],
    ['an unknown tag', { userTagId: absentId }, 404, `there is no user tag ${absentId}`],
    ['the id of a user', { userTagId: rootUserId }, 404, `there is no user tag ${rootUserId}`],
    ['an unknown user to add', { addUserIds: [absentId] }, 404, `addUserIds[0]: there is no user ${absentId}`],
    ['an unknown user to remove', { removeUserIds: [absentId] }, 404, `removeUserIds[0]: there is no user ${absentId}`],
    ["another organization's", { addUserIds: [other.userId] }, 404, `addUserIds[0]: there is no user ${other.userId}`],
    ['101 users to add', { addUserIds: hundredAndOne }, 400, 'parameters.addUserIds must be a list of at most 100'],
    [
      '101 users to remove',
      { removeUserIds: hundredAndOne },
      400,
      'parameters.removeUserIds must be a list of at most 100',
    ],
    [
      'one user both to add and to remove',
      { addUserIds: [rootUserId], removeUserIds: [rootUserId.toUpperCase()] },
      400,
      'parameters.removeUserIds[0]: the same id is to be added and to be removed',
    ],
  ] as const) {
    test(claim, async () => {
      const before = await found('get_organization')
      const parameters = { userTagId, newUserTagName: 'never', ...nothing, ...change }
      expectRefused(await submit('update_user_tag', parameters), status, text)
      expect(await found('get_organization')).toEqual(before)
    })
  }
})

test('users outside of the root quorum may not tag themselves', async () => {
  const { apiKey, userId } = await anotherUser()
  const parameters = { userTagId, addUserIds: [userId], removeUserIds: [] }
  expectRefused(await submit('update_user_tag', parameters, { apiKey }), 403)
})
