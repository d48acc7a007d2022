import { expect, test } from 'vitest'
import { absentId, expectRefused, newApiKey, startOrganization, timestamp } from '../../../test/support/organization.ts'

const { rootUserId, query, found, done } = await startOrganization()

test('a key is shown with every field, and its expiry when it has one', async () => {
  const [lasting, expiring] = [newApiKey(), newApiKey({ expirationSeconds: '900' })]
  const { apiKeyIds } = await done('create_api_keys', { userId: rootUserId, apiKeys: [lasting, expiring] })
  const shown = (index: number, publicKey: unknown) => ({
    credential: { publicKey, type: 'CREDENTIAL_TYPE_API_KEY_P256' },
    apiKeyId: apiKeyIds[index],
    apiKeyName: 'key',
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  expect(await found('get_api_key', { apiKeyId: apiKeyIds[0] })).toStrictEqual({ apiKey: shown(0, lasting.publicKey) })
  expect(await found('get_api_key', { apiKeyId: apiKeyIds[1].toUpperCase() })).toStrictEqual({
    apiKey: { ...shown(1, expiring.publicKey), expirationSeconds: '900' },
  })
})

test('an unknown id is 404', async () => {
  expectRefused(
    await query('get_api_key', { apiKeyId: absentId }),
    404,
    `there is no api key ${absentId} in this organization`,
  )
})
