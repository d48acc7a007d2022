import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newApiKey,
  type Parameters,
  repeated,
  startOrganization,
  uuid,
} from '../../../test/support/organization.ts'

const { submit, done, found, anotherUser } = await startOrganization({ limits: { usersMax: 110 } })

/** A key of older types, which names no curve. */
function newKey(given: Parameters = {}): Parameters {
  const { curveType: _, ...key } = newApiKey(given)
  return key
}

const newUser = (given: Parameters = {}) => ({ userName: 'robot', userTags: [], apiKeys: [newKey()], ...given })

test('a user with P-256 keys is created', async () => {
  const key = newKey()
  const result = await done('create_api_only_users', {
    apiOnlyUsers: [newUser({ userEmail: 'robot@example.com', apiKeys: [key] })],
  })
  expect(result).toStrictEqual({ userIds: [uuid] })
  const { user } = await found('get_user', { userId: result.userIds[0] })
  expect(user).toMatchObject({ userName: 'robot', userEmail: 'robot@example.com' })
  expect(user.apiKeys).toMatchObject([
    { credential: { publicKey: key.publicKey, type: 'CREDENTIAL_TYPE_API_KEY_P256' } },
  ])
})

describe('invalid users are refused', () => {
  for (const [claim, apiOnlyUsers, status, text] of [
    ['none', [], 400, 'parameters.apiOnlyUsers must be a list of 1 to 100'],
    ['101', repeated(101, () => newUser()), 400, 'parameters.apiOnlyUsers must be a list of 1 to 100'],
    ['21 keys', [newUser({ apiKeys: repeated(21, () => newKey()) })], 400, 'apiKeys must be a list of at most 20'],
    ['11 keys', [newUser({ apiKeys: repeated(11, () => newKey()) })], 429, 'maximum long-lived api keys (10)'],
    ['a curve', [newUser({ apiKeys: [newApiKey()] })], 400, 'apiOnlyUsers[0].apiKeys[0].curveType must be left out'],
    ['a key of 32 bytes', [newUser({ apiKeys: [newKey({ publicKey: '11'.repeat(32) })] })], 400, 'a compressed point'],
    ['an unknown tag', [newUser({ userTags: [absentId] })], 404, 'apiOnlyUsers[0].userTags[0]'],
    ['101 tags', [newUser({ userTags: repeated(101, () => absentId) })], 400, 'userTags must be a list of at most 100'],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('create_api_only_users', { apiOnlyUsers }), status, text)
    })
  }
})

test('a key that another user has is refused', async () => {
  const { publicKey } = (await anotherUser()).apiKey
  const apiOnlyUsers = [newUser({ apiKeys: [newKey({ publicKey })] })]
  const answer = await submit('create_api_only_users', { apiOnlyUsers })
  expectRefused(answer, 400, 'already in use: parameters.apiOnlyUsers[0].apiKeys[0].publicKey')
})

test('a user outside of the root quorum may not create users', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('create_api_only_users', { apiOnlyUsers: [newUser()] }, { apiKey }), 403)
})

test('a hundred users at once are accepted, but no more than the organization may have', async () => {
  const apiOnlyUsers = repeated(100, () => newUser({ apiKeys: [] }))
  expect((await done('create_api_only_users', { apiOnlyUsers })).userIds).toHaveLength(100)
  expectRefused(await submit('create_api_only_users', { apiOnlyUsers }), 429, 'an organization has at most 110 users')
})
