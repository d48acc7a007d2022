import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newApiKey,
  newUser,
  repeated,
  startOrganization,
  uuid,
} from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const { server, clock, organizationId, rootUserId, submit, done, found, anotherUser } = await startOrganization({
  limits: { tagsMax: 20, subOrganizationTagsMax: 2, usersMax: 200 },
})
const tagsOf = async (userId: string) => (await found('get_user', { userId })).user.userTags

test('the named users get the tag, and no others', async () => {
  const [first, second] = [await anotherUser('first'), await anotherUser('second')]
  const before = (await found('get_user', { userId: first.userId })).user
  clock.nowMs += 5_000
  const result = await done('create_user_tag', { userTagName: 'operators', userIds: [second.userId, first.userId] })
  expect(result).toStrictEqual({ userTagId: uuid, userIds: [second.userId, first.userId] })

  const { userTagId } = result
  const after = (await found('get_user', { userId: first.userId })).user
  expect(after).toEqual({ ...before, userTags: [userTagId], updatedAt: after.updatedAt })
  expect(after.updatedAt).not.toEqual(before.updatedAt)
  const { users } = await found('list_users')
  const tagged = users.filter(({ userTags }: { userTags: string[] }) => userTags.includes(userTagId))
  expect(tagged.map(({ userId }: { userId: string }) => userId)).toEqual([first.userId, second.userId])
  const tag = expect.objectContaining({ tagId: userTagId, tagName: 'operators' })
  expect((await found('list_user_tags')).userTags).toContainEqual(tag)
})

test('a user may have several tags, in the order in which they were added', async () => {
  const { userId } = await anotherUser()
  const ids: string[] = []
  for (const userTagName of ['one', 'two', 'three']) {
    ids.push((await done('create_user_tag', { userTagName, userIds: [userId] })).userTagId)
  }
  expect(await tagsOf(userId)).toEqual(ids)
})

test('a user who is named twice, or in capitals, has the tag once', async () => {
  const { userId } = await anotherUser()
  const { userTagId, userIds } = await done('create_user_tag', {
    userTagName: 'twice',
    userIds: [userId.toUpperCase(), userId],
  })
  expect(userIds).toEqual([userId])
  expect(await tagsOf(userId)).toEqual([userTagId])
})

test('new users may have existing tags', async () => {
  const { userTagId } = await done('create_user_tag', { userTagName: 'newcomers', userIds: [] })
  const userTags = [userTagId.toUpperCase(), userTagId]
  const [made] = (await done('create_users', { users: [newUser({ userTags })] })).userIds
  const apiOnlyUsers = [{ userName: 'robot', userTags: [userTagId], apiKeys: [] }]
  const [robot] = (await done('create_api_only_users', { apiOnlyUsers })).userIds
  expect([await tagsOf(made), await tagsOf(robot)]).toEqual([[userTagId], [userTagId]])
})

test('a hundred users get the tag at once', async () => {
  const { userIds } = await done('create_users', { users: repeated(100, () => newUser()) })
  const { userTagId } = await done('create_user_tag', { userTagName: 'everybody', userIds })
  const { users } = await found('list_users')
  const tagged = users.filter(({ userTags }: { userTags: string[] }) => userTags.includes(userTagId))
  expect(tagged.map(({ userId }: { userId: string }) => userId)).toEqual(userIds)
})

describe('invalid tags are refused', async () => {
  const { userId: foreignId } = await server.createOrganization()
  const { userTagId } = await done('create_user_tag', { userTagName: 'taken', userIds: [] })
  await done('create_private_key_tag', { privateKeyTagName: 'taken by keys', privateKeyIds: [] })
  for (const [claim, change, status, text] of [
    ['an empty name', { userTagName: '' }, 400, 'parameters.userTagName must be a text of 1 to 256'],
    ['no list', { userIds: undefined }, 400, 'parameters.userIds must be present'],
    ['101 users', { userIds: repeated(101, () => rootUserId) }, 400, 'userIds must be a list of at most 100'],
    ['the id of a tag', { userIds: [userTagId] }, 404, `userIds[0]: there is no user ${userTagId}`],
    [
      'an unknown user',
      { userIds: [rootUserId, absentId] },
      404,
      `parameters.userIds[1]: there is no user ${absentId} in this organization`,
    ],
    [
      "another organization's user",
      { userIds: [foreignId] },
      404,
      `parameters.userIds[0]: there is no user ${foreignId} in this organization`,
    ],
    ['the name of another tag', { userTagName: 'taken' }, 400, 'already in use: parameters.userTagName'],
    ['the name of a private key tag', { userTagName: 'taken by keys' }, 400, 'already in use: parameters.userTagName'],
  ] as const) {
    test(claim, async () => {
      const before = await found('get_organization')
      expectRefused(await submit('create_user_tag', { userTagName: 'new', userIds: [], ...change }), status, text)
      expect(await found('get_organization')).toEqual(before)
    })
  }
})

test('users outside of the root quorum may not create tags, not even for themselves', async () => {
  const { apiKey, userId } = await anotherUser()
  expectRefused(await submit('create_user_tag', { userTagName: 'mine', userIds: [userId] }, { apiKey }), 403)
})

test('one of two simultaneous tags with the same name is made', async () => {
  const asked = repeated(2, () => submit('create_user_tag', { userTagName: 'contended', userIds: [rootUserId] }))
  expect((await Promise.all(asked)).map(({ status }) => status).sort()).toEqual([200, 400])
  expect(await tagsOf(rootUserId)).toHaveLength(1)
})

test('user tags and key tags of an organization share a limit; a sub-organization has its own', async () => {
  const there = (await found('get_organization')).organizationData.tags.length
  for (const index of repeated(20 - there, (index) => index)) {
    await done('create_private_key_tag', { privateKeyTagName: `fill ${index}`, privateKeyIds: [] })
  }
  const text = 'resource limit reached: an organization has at most 20 tags'
  expectRefused(await submit('create_user_tag', { userTagName: 'many', userIds: [] }), 429, text)
  expectRefused(await submit('create_private_key_tag', { privateKeyTagName: 'many', privateKeyIds: [] }), 429, text)

  const apiKey = generateApiKey()
  const { subOrganizationId } = await done('create_sub_organization', {
    subOrganizationName: 'sub',
    rootQuorumThreshold: 1,
    rootUsers: [
      { userName: 'c', apiKeys: [newApiKey({ publicKey: apiKey.publicKey })], authenticators: [], oauthProviders: [] },
    ],
  })
  expect(subOrganizationId).not.toBe(organizationId)
  const ask = { organizationId: subOrganizationId, apiKey }
  // Names are free again in another organization.
  await done('create_user_tag', { userTagName: 'operators', userIds: [] }, ask)
  await done('create_private_key_tag', { privateKeyTagName: 'hot', privateKeyIds: [] }, ask)
  expectRefused(
    await submit('create_user_tag', { userTagName: 'third', userIds: [] }, ask),
    429,
    'a sub-organization has at most 2 tags',
  )
})
