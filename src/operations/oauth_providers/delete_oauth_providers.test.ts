import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { oidcClientId } from '../../../test/support/oidc_issuer.ts'
import { absentId, expectRefused, newApiKey, newUser, type Parameters } from '../../../test/support/organization.ts'
import { startOrganizationWithIssuer } from '../../../test/support/organization_with_issuer.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const { idToken, rootUserId, submit, query, done, found, anotherUser } = await startOrganizationWithIssuer()

let count = 0
const provider = (sub = `sub ${++count}`) => ({ providerName: 'Issuer', oidcToken: idToken({ sub }) })

async function userWith(providers: number, given: Parameters = {}) {
  const oauthProviders = Array.from({ length: providers }, () => provider())
  const [userId] = (await done('create_users', { users: [newUser({ oauthProviders, ...given })] })).userIds
  return { userId, providerIds: await idsOf(userId) }
}

async function idsOf(userId: string): Promise<string[]> {
  const { oauthProviders } = await found('get_oauth_providers', { userId })
  return oauthProviders.map(({ providerId }: { providerId: string }) => providerId)
}

test('removed providers may be added to another user, and an id given twice counts once', async () => {
  const oauthProviders = [provider('ada')]
  const { userId, providerIds } = await userWith(0, { oauthProviders })
  const [first = ''] = providerIds
  const { providerIds: added } = await done('create_oauth_providers', { userId, oauthProviders: [provider()] })
  const result = await done('delete_oauth_providers', { userId, providerIds: [first.toUpperCase(), first] })
  expect(result).toStrictEqual({ providerIds: [first] })
  expect(await idsOf(userId)).toEqual(added)
  await userWith(0, { oauthProviders })
})

test('sessions of an account end with the last provider of that account', async () => {
  const clients = ['another client', oidcClientId]
  const oauthProviders = clients.map((aud) => ({ providerName: aud, oidcToken: idToken({ sub: 'two', aud }) }))
  const { userId, providerIds } = await userWith(0, { oauthProviders: [...oauthProviders, provider()] })
  const session = generateApiKey()
  const nonce = createHash('sha256').update(session.publicKey, 'ascii').digest('hex')
  const oidcToken = idToken({ sub: 'two', nonce })
  await done('oauth_login', { oidcToken, publicKey: session.publicKey })
  const statuses: number[] = []
  for (const providerId of [providerIds[2], providerIds[1], providerIds[0]]) {
    statuses.push((await query('whoami', {}, { apiKey: session })).status)
    await done('delete_oauth_providers', { userId, providerIds: [providerId] })
  }
  expect([...statuses, (await query('whoami', {}, { apiKey: session })).status]).toEqual([200, 200, 200, 401])
})

test('users may remove their own providers and nobody else’s', async () => {
  const apiKey = generateApiKey()
  const mine = await userWith(1, { apiKeys: [newApiKey({ publicKey: apiKey.publicKey })] })
  const others = await userWith(1)
  expectRefused(await submit('delete_oauth_providers', others, { apiKey }), 403)
  await done('delete_oauth_providers', mine, { apiKey })
})

test('invalid removals are refused', async () => {
  const { userId, providerIds } = await userWith(1)
  const others = await userWith(1)
  for (const [change, status, text] of [
    [{ providerIds: [] }, 400, 'parameters.providerIds must be a list of 1 to 100'],
    [{ providerIds: Array(101).fill(absentId) }, 400, 'parameters.providerIds must be a list of 1 to 100'],
    [{ providerIds: [absentId] }, 404, `there is no oauth provider ${absentId} of this user`],
    [{ providerIds: [...providerIds, ...others.providerIds] }, 404, `no oauth provider ${others.providerIds[0]}`],
    [{ userId: absentId }, 404, `there is no user ${absentId} in this organization`],
  ] as const) {
    expectRefused(await submit('delete_oauth_providers', { userId, providerIds, ...change }), status, text)
  }
  expect(await idsOf(userId)).toEqual(providerIds)
})

test('the last way to log in of a quorum member stays', async () => {
  const text = 'parameters.providerIds: this would leave a member of the root quorum without a way to log in'
  const { userId } = await anotherUser('member')
  const { providerIds } = await done('create_oauth_providers', { userId, oauthProviders: [provider()] })
  await done('update_root_quorum', { threshold: 1, userIds: [rootUserId, userId] })
  const { apiKeys } = await found('get_api_keys', { userId })
  await done('delete_api_keys', { userId, apiKeyIds: apiKeys.map((key: { apiKeyId: string }) => key.apiKeyId) })
  const session = generateApiKey()
  const expiring = newApiKey({ publicKey: session.publicKey, expirationSeconds: '900' })
  await done('create_api_keys', { userId, apiKeys: [expiring] })
  const removal = () => submit('delete_oauth_providers', { userId, providerIds }, { apiKey: session })
  expectRefused(await removal(), 400, text)

  await done('create_api_keys', { userId, apiKeys: [newApiKey({ publicKey: generateApiKey().publicKey })] })
  expect((await removal()).status).toBe(200)
})
