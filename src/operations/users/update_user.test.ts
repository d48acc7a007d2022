import { describe, expect, test } from 'vitest'
import { absentId, expectRefused, newApiKey, repeated, startOrganization } from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const { server, clock, rootUserId, submit, done, found, anotherUser } = await startOrganization({
  limits: { tagsMax: 200 },
})
const userOf = async (userId: string) => (await found('get_user', { userId })).user
const tagIds: string[] = []
for (const index of repeated(100, (index) => index)) {
  tagIds.push((await done('create_user_tag', { userTagName: `tag ${index}`, userIds: [] })).userTagId)
}
const [first = '', second = '', third = ''] = tagIds

test('given fields are changed, and the tags become those of the list', async () => {
  const { userId, apiKey } = await anotherUser()
  const before = await userOf(userId)
  clock.nowMs += 5_000
  const changed = { userName: 'Ada', userEmail: 'ada@example.com', userPhoneNumber: '+14155550123' }
  const parameters = { userId: userId.toUpperCase(), ...changed, userTagIds: [second, first.toUpperCase(), second] }
  expect(await done('update_user', parameters)).toStrictEqual({ userId })
  const after = await userOf(userId)
  expect(after).toEqual({ ...before, ...changed, userTags: [second, first], updatedAt: after.updatedAt })
  expect(after.updatedAt).not.toEqual(before.updatedAt)
  expect((await found('whoami', {}, { apiKey })).userId).toBe(userId)

  await done('update_user', { userId, userTagIds: [third] })
  expect(await userOf(userId)).toEqual({ ...after, userTags: [third], updatedAt: expect.anything() })
  await done('update_user', { userId, userTagIds: tagIds })
  expect((await userOf(userId)).userTags).toEqual(tagIds)
})

test('absent fields, null and an empty list of tags change nothing', async () => {
  const { userId } = await anotherUser()
  const given = { userEmail: 'eve@example.com', userPhoneNumber: '+14155550124', userTagIds: [first] }
  await done('update_user', { userId, ...given })
  const before = await userOf(userId)
  clock.nowMs += 5_000
  for (const nothing of [{}, { userTagIds: [] }, { userName: null, userEmail: null, userTagIds: null }]) {
    expect(await done('update_user', { userId, ...nothing })).toStrictEqual({ userId })
    expect(await userOf(userId)).toEqual(before)
  }
  await done('update_user', { userId, userName: 'renamed', userTagIds: [] })
  expect(await userOf(userId)).toEqual({ ...before, userName: 'renamed', updatedAt: expect.anything() })
})

test('a sub-organization is found by the present name and contacts of its user', async () => {
  const apiKey = generateApiKey()
  const apiKeys = [newApiKey({ publicKey: apiKey.publicKey })]
  const { subOrganizationId, rootUserIds } = await done('create_sub_organization', {
    subOrganizationName: 'sub',
    rootQuorumThreshold: 1,
    rootUsers: [{ userName: 'old', userEmail: 'old@example.com', apiKeys, authenticators: [], oauthProviders: [] }],
  })
  const changed = { userName: 'new', userEmail: 'new@example.com', userPhoneNumber: '+14155550125' }
  await done('update_user', { userId: rootUserIds[0], ...changed }, { organizationId: subOrganizationId, apiKey })
  for (const [filterType, filterValue, expected] of [
    ['USERNAME', 'old', []],
    ['EMAIL', 'old@example.com', []],
    ['USERNAME', 'new', [subOrganizationId]],
    ['EMAIL', 'new@example.com', [subOrganizationId]],
    ['PHONE_NUMBER', '+14155550125', [subOrganizationId]],
    ['PUBLIC_KEY', apiKey.publicKey, [subOrganizationId]],
  ] as const) {
    expect((await found('list_suborgs', { filterType, filterValue })).organizationIds).toEqual(expected)
  }
})

describe('invalid requests are refused', async () => {
  const { privateKeyTagId } = await done('create_private_key_tag', { privateKeyTagName: 'of keys', privateKeyIds: [] })
  const other = await server.createOrganization()
  for (const [claim, change, status, text] of [
    ['an empty name', { userName: '' }, 400, 'parameters.userName must be a text of 1 to 256'],
    ['a malformed address', { userEmail: '' }, 400, 'parameters.userEmail must be an e-mail address'],
    ['a malformed number', { userPhoneNumber: '' }, 400, 'parameters.userPhoneNumber must be a phone number'],
    ['101 tags', { userTagIds: repeated(101, () => first) }, 400, 'userTagIds must be a list of at most 100'],
    ['an unknown tag', { userTagIds: [first, absentId] }, 404, `userTagIds[1]: there is no user tag ${absentId}`],
    ['a private key tag', { userTagIds: [privateKeyTagId] }, 404, 'userTagIds[0]: there is no user tag'],
    ['an unknown user', { userId: absentId }, 404, `there is no user ${absentId} in this organization`],
    ["another organization's user", { userId: other.userId }, 404, `there is no user ${other.userId} in this`],
  ] as const) {
    test(claim, async () => {
      const before = await userOf(rootUserId)
      expectRefused(await submit('update_user', { userId: rootUserId, userName: 'never', ...change }), status, text)
      expect(await userOf(rootUserId)).toEqual(before)
    })
  }
})

test('users outside of the root quorum may not change themselves', async () => {
  const { userId, apiKey } = await anotherUser()
  expectRefused(await submit('update_user', { userId, userTagIds: [first] }, { apiKey }), 403)
})
