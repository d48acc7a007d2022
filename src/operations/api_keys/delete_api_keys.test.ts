import { expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newApiKey,
  newUser,
  repeated,
  startOrganization,
} from '../../../test/support/organization.ts'
import { type ApiKeyPair, generateApiKey } from '../../../test/support/stamping.ts'

const { clock, rootUserId, rootKey, submit, query, done, found, anotherUser } = await startOrganization()

async function keyIdsOf(userId: string): Promise<string[]> {
  return (await found('get_api_keys', { userId })).apiKeys.map(({ apiKeyId }: { apiKeyId: string }) => apiKeyId)
}

test('removed keys stamp nothing, and an id given twice counts once', async () => {
  const { userId, apiKey } = await anotherUser()
  const [first = ''] = await keyIdsOf(userId)
  const { apiKeyIds } = await done('create_api_keys', { userId, apiKeys: [newApiKey()] })
  const result = await done('delete_api_keys', { userId, apiKeyIds: [first.toUpperCase(), first] })
  expect(result).toStrictEqual({ apiKeyIds: [first] })
  expect(await keyIdsOf(userId)).toEqual(apiKeyIds)
  expectRefused(await query('whoami', {}, { apiKey }), 401, 'could not find public key in organization')
})

/** Opens a session by the key, and from each session the next. Returns the keys of the sessions. */
async function chainOf(apiKey: ApiKeyPair, length: number): Promise<readonly ApiKeyPair[]> {
  const chain = Array.from({ length }, generateApiKey)
  for (const [index, { publicKey }] of chain.entries()) {
    await done('stamp_login', { publicKey }, { apiKey: chain[index - 1] ?? apiKey })
  }
  return chain
}

async function idOf(userId: string, { publicKey }: ApiKeyPair): Promise<string> {
  const { apiKeys } = await found('get_api_keys', { userId })
  return apiKeys.find((key: { credential: { publicKey: string } }) => key.credential.publicKey === publicKey).apiKeyId
}

const statusesOf = (keys: readonly ApiKeyPair[]) =>
  Promise.all(keys.map(async (apiKey) => (await query('whoami', {}, { apiKey })).status))

test('a removed key ends the sessions that it opened, and those that these opened', async () => {
  const { userId, apiKey } = await anotherUser()
  const chain = await chainOf(apiKey, 2)
  await done('delete_api_keys', { userId, apiKeyIds: [await idOf(userId, apiKey)] })
  expect(await statusesOf(chain)).toEqual([401, 401])
})

test.each(['itself', 'another key'] as const)('a session that %s removes ends all that it opened', async (who) => {
  const { userId, apiKey } = await anotherUser()
  const [stolen = apiKey, ...opened] = await chainOf(apiKey, 3)
  const [unrelated = apiKey] = await chainOf(apiKey, 1)
  const link = generateApiKey()
  await done('create_passkey_link', { userId, publicKey: link.publicKey }, { apiKey: opened[1] ?? apiKey })
  const apiKeyIds = [await idOf(userId, stolen)]
  await done('delete_api_keys', { userId, apiKeyIds }, { apiKey: who === 'itself' ? stolen : unrelated })
  expect(await statusesOf([stolen, ...opened, link, unrelated, apiKey])).toEqual([401, 401, 401, 401, 200, 200])
})

test('a session that renews another one and removes it goes on, with what it opened itself', async () => {
  const { userId, apiKey } = await anotherUser()
  const [older = apiKey, renewed = apiKey, next = apiKey] = await chainOf(apiKey, 3)
  const [beside = apiKey] = await chainOf(older, 1)
  await done('delete_api_keys', { userId, apiKeyIds: [await idOf(userId, older)] }, { apiKey: renewed })
  expect(await statusesOf([older, beside, renewed, next])).toEqual([401, 401, 200, 200])
  await done('delete_api_keys', { userId, apiKeyIds: [await idOf(userId, renewed)] })
  expect(await statusesOf([renewed, next])).toEqual([401, 401])
})

test('a session that ends by its time leaves what it opened', async () => {
  const { userId, apiKey } = await anotherUser()
  const [short, long] = [generateApiKey(), generateApiKey()]
  await done('stamp_login', { publicKey: short.publicKey, expirationSeconds: '60' }, { apiKey })
  await done('stamp_login', { publicKey: long.publicKey, expirationSeconds: '600' }, { apiKey: short })
  clock.nowMs += 61_000
  expect(await statusesOf([short, long])).toEqual([401, 200])
  expect((await found('whoami', {}, { apiKey: long })).userId).toBe(userId)
})

test('a removed key may be given to another user', async () => {
  const { userId, apiKey } = await anotherUser()
  await done('delete_api_keys', { userId, apiKeyIds: await keyIdsOf(userId) })
  const other = await anotherUser()
  await done('create_api_keys', { userId: other.userId, apiKeys: [newApiKey({ publicKey: apiKey.publicKey })] })
  expect((await found('whoami', {}, { apiKey })).userId).toBe(other.userId)
})

test('users may remove their own keys and nobody else’s', async () => {
  const { userId, apiKey } = await anotherUser()
  const roots = await keyIdsOf(rootUserId)
  expectRefused(await submit('delete_api_keys', { userId: rootUserId, apiKeyIds: roots }, { apiKey }), 403)
  await done('delete_api_keys', { userId, apiKeyIds: await keyIdsOf(userId) }, { apiKey })
})

test('invalid removals are refused', async () => {
  const { userId } = await anotherUser()
  const own = await keyIdsOf(userId)
  const roots = await keyIdsOf(rootUserId)
  for (const [change, status, text] of [
    [{ apiKeyIds: [] }, 400, 'parameters.apiKeyIds must be a list of 1 to 100'],
    [{ apiKeyIds: repeated(101, () => absentId) }, 400, 'parameters.apiKeyIds must be a list of 1 to 100'],
    [{ apiKeyIds: repeated(100, () => absentId) }, 404, `there is no api key ${absentId} of this user`],
    [{ apiKeyIds: [...own, ...roots] }, 404, `there is no api key ${roots[0]} of this user`],
    [{ userId: absentId }, 404, `there is no user ${absentId} in this organization`],
  ] as const) {
    expectRefused(await submit('delete_api_keys', { userId, apiKeyIds: own, ...change }), status, text)
  }
  expect(await keyIdsOf(userId)).toEqual(own)
})

test('the last key of the quorum stays, even beside an expired one', async () => {
  const text = 'parameters.apiKeyIds: this would leave the root quorum without enough members who have a credential'
  const [first = ''] = await keyIdsOf(rootUserId)
  expectRefused(await submit('delete_api_keys', { userId: rootUserId, apiKeyIds: [first] }), 400, text)

  await done('create_api_keys', { userId: rootUserId, apiKeys: [newApiKey({ expirationSeconds: '60' })] })
  clock.nowMs += 60_000
  expectRefused(await submit('delete_api_keys', { userId: rootUserId, apiKeyIds: [first] }), 400, text)

  const spare = generateApiKey()
  await done('create_api_keys', { userId: rootUserId, apiKeys: [newApiKey({ publicKey: spare.publicKey })] })
  expect(await done('delete_api_keys', { userId: rootUserId, apiKeyIds: [first] })).toEqual({ apiKeyIds: [first] })
  expectRefused(await query('whoami', {}, { apiKey: rootKey }), 401)
  expect((await found('whoami', {}, { apiKey: spare })).userId).toBe(rootUserId)
})

test('the last way in of a member stays where the others log in by mail', async () => {
  const organization = await startOrganization()
  const users = [newUser({ userEmail: 'ada@example.org' })]
  const [byMail] = (await organization.done('create_users', { users })).userIds
  const { rootUserId: userId } = organization
  const [{ apiKeyId }] = (await organization.found('get_api_keys', { userId })).apiKeys
  const second = generateApiKey()
  const apiKeys = [newApiKey({ publicKey: second.publicKey, expirationSeconds: '900' })]
  await organization.done('create_api_keys', { userId, apiKeys })
  await organization.done('update_root_quorum', { threshold: 2, userIds: [userId, byMail] })
  const answer = await organization.submit('delete_api_keys', { userId, apiKeyIds: [apiKeyId] })
  expectRefused(answer, 400, 'parameters.apiKeyIds: this would leave the root quorum without enough members')
})
