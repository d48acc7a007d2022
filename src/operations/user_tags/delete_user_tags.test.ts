import { describe, expect, test } from 'vitest'
import { absentId, expectRefused, newUser, repeated, startOrganization } from '../../../test/support/organization.ts'

const { server, clock, rootUserId, submit, done, found, anotherUser } = await startOrganization({
  limits: { tagsMax: 200, usersMax: 200 },
})
const tagNamed = async (userTagName: string, userIds: readonly string[] = []): Promise<string> =>
  (await done('create_user_tag', { userTagName, userIds })).userTagId
const userOf = async (userId: string) => (await found('get_user', { userId })).user
const tagIds = async () => (await found('list_user_tags')).userTags.map(({ tagId }: { tagId: string }) => tagId)

test('tags are deleted and taken from their users; the result has each of these users once', async () => {
  const users = [(await anotherUser()).userId, (await anotherUser()).userId, (await anotherUser()).userId]
  const [one = '', two = '', three = ''] = users
  const [first, second, kept] = [
    await tagNamed('a', [one, two]),
    await tagNamed('b', [one]),
    await tagNamed('c', users),
  ]
  const untouched = await userOf(three)
  clock.nowMs += 5_000
  const result = await done('delete_user_tags', { userTagIds: [second, first.toUpperCase(), first] })
  expect(result).toStrictEqual({ userTagIds: [second, first], userIds: [one, two] })

  const left = await tagIds()
  expect([first, second, kept].filter((tagId) => left.includes(tagId))).toEqual([kept])
  for (const userId of users) expect((await userOf(userId)).userTags).toEqual([kept])
  expect(await userOf(three)).toEqual(untouched)
})

test('a tag without users is deleted, and its name is free', async () => {
  const tagId = await tagNamed('free')
  expect(await done('delete_user_tags', { userTagIds: [tagId] })).toStrictEqual({ userTagIds: [tagId], userIds: [] })
  expect(await tagNamed('free')).not.toBe(tagId)
})

test('a hundred tags of a hundred users are deleted at once', async () => {
  const userIds = (await done('create_users', { users: repeated(100, () => newUser()) })).userIds
  const userTagIds: string[] = []
  for (const index of repeated(100, (index) => index)) userTagIds.push(await tagNamed(`many ${index}`, userIds))
  expect((await userOf(userIds[99])).userTags).toEqual(userTagIds)
  expect(await done('delete_user_tags', { userTagIds })).toStrictEqual({ userTagIds, userIds })
  for (const { userTags } of (await found('list_users')).users) expect(userTags).not.toContain(userTagIds[0])
  expect((await userOf(userIds[99])).userTags).toEqual([])
})

describe('invalid requests are refused', async () => {
  const tagId = await tagNamed('stays', [rootUserId])
  const { privateKeyTagId } = await done('create_private_key_tag', { privateKeyTagName: 'of keys', privateKeyIds: [] })
  const other = await server.createOrganization()
  const foreign = await server.post(
    '/public/v1/submit/create_user_tag',
    {
      type: 'ACTIVITY_TYPE_CREATE_USER_TAG',
      timestampMs: String(clock.nowMs),
      organizationId: other.organizationId,
      parameters: { userTagName: 'foreign', userIds: [] },
    },
    other.apiKey,
  )
  const foreignId = foreign.body.activity.result.createUserTagResult.userTagId
  for (const [claim, userTagIds, status, text] of [
    ['no tag', [], 400, 'parameters.userTagIds must be a list of 1 to 100'],
    ['101 tags', repeated(101, () => tagId), 400, 'parameters.userTagIds must be a list of 1 to 100'],
    ['an unknown tag', [tagId, absentId], 404, `userTagIds[1]: there is no user tag ${absentId}`],
    ["another organization's tag", [foreignId], 404, `parameters.userTagIds[0]: there is no user tag ${foreignId}`],
    ['a private key tag', [privateKeyTagId], 404, `userTagIds[0]: there is no user tag ${privateKeyTagId}`],
    ['the id of a user', [rootUserId], 404, `userTagIds[0]: there is no user tag ${rootUserId}`],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('delete_user_tags', { userTagIds }), status, text)
      expect(await tagIds()).toContain(tagId)
      expect((await userOf(rootUserId)).userTags).toEqual([tagId])
    })
  }

  test('a deletion by a user outside of the root quorum', async () => {
    const { apiKey } = await anotherUser()
    expectRefused(await submit('delete_user_tags', { userTagIds: [tagId] }, { apiKey }), 403)
  })
})

test('one of two simultaneous deletions of a tag succeeds, the other finds no tag', async () => {
  const tagId = await tagNamed('contended', [rootUserId])
  const answers = await Promise.all(repeated(2, () => submit('delete_user_tags', { userTagIds: [tagId] })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
  for (const { status, body } of answers) {
    if (status === 404) expect(body.message).toContain(`there is no user tag ${tagId}`)
    else expect(body.activity.result.deleteUserTagsResult.userIds).toEqual([rootUserId])
  }
})

test('a user who gets a tag while it is deleted does not keep it', async () => {
  const tagId = await tagNamed('fleeting')
  const [deleted, made] = await Promise.all([
    submit('delete_user_tags', { userTagIds: [tagId] }),
    submit('create_users', { users: [newUser({ userTags: [tagId] })] }),
  ])
  expect(deleted.status).toBe(200)
  expect([200, 404]).toContain(made.status)
  for (const { userTags } of (await found('list_users')).users) expect(userTags).not.toContain(tagId)
})
