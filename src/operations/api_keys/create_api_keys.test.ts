import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newApiKey,
  repeated,
  startOrganization,
  uuid,
} from '../../../test/support/organization.ts'

const { clock, rootUserId, rootKey, submit, done, found, anotherUser } = await startOrganization()
const { userId, apiKey } = await anotherUser()

type ApiKey = { readonly apiKeyId: string; readonly apiKeyName: string }

async function namesOf(id: string): Promise<string[]> {
  return (await found('get_api_keys', { userId: id })).apiKeys.map(({ apiKeyName }: ApiKey) => apiKeyName)
}

test('keys of every curve are added in the order given', async () => {
  const { userId } = await anotherUser()
  const secp256k1 = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
  const ed25519 = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'
  const apiKeys = [
    newApiKey({ apiKeyName: 'a' }),
    newApiKey({ apiKeyName: 'b', curveType: 'API_KEY_CURVE_SECP256K1', publicKey: secp256k1.toUpperCase() }),
    newApiKey({ apiKeyName: 'c', curveType: 'API_KEY_CURVE_ED25519', publicKey: ed25519, expirationSeconds: '60' }),
  ]
  const result = await done('create_api_keys', { userId: userId.toUpperCase(), apiKeys })
  expect(result).toStrictEqual({ apiKeyIds: [uuid, uuid, uuid] })
  expect((await found('get_api_keys', { userId })).apiKeys.slice(1)).toMatchObject([
    { apiKeyName: 'a', credential: { type: 'CREDENTIAL_TYPE_API_KEY_P256' } },
    { apiKeyName: 'b', credential: { type: 'CREDENTIAL_TYPE_API_KEY_SECP256K1', publicKey: secp256k1 } },
    {
      apiKeyName: 'c',
      credential: { type: 'CREDENTIAL_TYPE_API_KEY_ED25519', publicKey: ed25519 },
      expirationSeconds: '60',
    },
  ])
})

/** The first key of RFC 8032, 7.1, plus a point of order eight. One private key signs for both. */
const ed25519Moved = '3b5b475c4b82dd1572799fc546f4c6c03e478c6654aa4c7f945b347ea32af60d'

describe('invalid keys are refused', () => {
  const one = (given: object) => ({ apiKeys: [newApiKey({ ...given })] })
  const twice = newApiKey()
  for (const [claim, change, status, text] of [
    ['none', { apiKeys: [] }, 400, 'parameters.apiKeys must be a list of 1 to 20'],
    ['21', { apiKeys: repeated(21, () => newApiKey()) }, 400, 'parameters.apiKeys must be a list of 1 to 20'],
    ['of an unknown user', { userId: absentId }, 404, `there is no user ${absentId} in this organization`],
    ['no name', one({ apiKeyName: '' }), 400, 'parameters.apiKeys[0].apiKeyName must be a text of 1 to 256'],
    [
      'no hex',
      one({ publicKey: 'xyz' }),
      400,
      'parameters.apiKeys[0].publicKey must be a compressed point of the curve: 33 bytes',
    ],
    [
      'an uncompressed point',
      one({ publicKey: `04${'11'.repeat(64)}` }),
      400,
      'parameters.apiKeys[0].publicKey must be a compressed',
    ],
    ['an unknown curve', one({ curveType: 'X' }), 400, 'apiKeys[0].curveType must be one of API_KEY_CURVE_P256'],
    [
      '33 bytes for Ed25519',
      one({ curveType: 'API_KEY_CURVE_ED25519' }),
      400,
      'parameters.apiKeys[0].publicKey must be 32 bytes in hex',
    ],
    [
      'a second form of a key of Ed25519, for which the same private key signs',
      one({ curveType: 'API_KEY_CURVE_ED25519', publicKey: ed25519Moved }),
      400,
      'parameters.apiKeys[0].publicKey must be 32 bytes in hex, a point of prime order',
    ],
    [
      '0 seconds',
      one({ expirationSeconds: '0' }),
      400,
      'apiKeys[0].expirationSeconds must be a number of seconds from 1 to',
    ],
    [
      'seconds as a number',
      one({ expirationSeconds: 60 }),
      400,
      'apiKeys[0].expirationSeconds must be a number of seconds from 1 to',
    ],
    [
      'the same key twice',
      { apiKeys: [twice, twice] },
      400,
      'parameters.apiKeys[1].publicKey must be a key that the request names once',
    ],
    [
      'a key of another user',
      one({ publicKey: rootKey.publicKey }),
      400,
      'already in use: parameters.apiKeys[0].publicKey',
    ],
    [
      'a key of this user',
      one({ publicKey: apiKey.publicKey }),
      400,
      'already in use: parameters.apiKeys[0].publicKey',
    ],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('create_api_keys', { userId, apiKeys: [newApiKey()], ...change }), status, text)
    })
  }
})

test('users may add keys to themselves and to nobody else', async () => {
  const apiKeys = [newApiKey()]
  expectRefused(await submit('create_api_keys', { userId: rootUserId, apiKeys }, { apiKey }), 403)
  expect(await done('create_api_keys', { userId, apiKeys }, { apiKey })).toStrictEqual({ apiKeyIds: [uuid] })
})

test('a user has at most ten long-lived keys', async () => {
  const { userId } = await anotherUser()
  await done('create_api_keys', { userId, apiKeys: repeated(9, () => newApiKey()) })
  const answer = await submit('create_api_keys', { userId, apiKeys: [newApiKey()] })
  expectRefused(answer, 429, 'user has exceeded maximum long-lived api keys (10)')
})

test('an eleventh expiring key drops the expired ones first, then the oldest', async () => {
  const { userId } = await anotherUser('with keys')
  const expiring = (apiKeyName: string, seconds = '3600') => newApiKey({ apiKeyName, expirationSeconds: seconds })
  const apiKeys = [expiring('0'), expiring('short', '1'), ...repeated(8, (index) => expiring(`${index + 1}`))]
  await done('create_api_keys', { userId, apiKeys })
  clock.nowMs += 1_000
  await done('create_api_keys', { userId, apiKeys: [expiring('9')] })
  expect(await namesOf(userId)).toEqual(['key', ...repeated(10, String)])
  await done('create_api_keys', { userId, apiKeys: [expiring('10'), expiring('11')] })
  expect(await namesOf(userId)).toEqual(['key', ...repeated(10, (index) => String(index + 2))])
})

test('a request whose own keys would drop one another is refused', async () => {
  const { userId } = await anotherUser()
  const apiKeys = (count: number) => repeated(count, () => newApiKey({ expirationSeconds: '60' }))
  const answer = await submit('create_api_keys', { userId, apiKeys: apiKeys(11) })
  expectRefused(answer, 429, 'user has exceeded maximum short-lived api keys (10)')
  await done('create_api_keys', { userId, apiKeys: apiKeys(10) })
})

test('a key that waits for votes fails by its name once another user has got it after a day, who can be found', async () => {
  const asks = await anotherUser('asks')
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, asks.userId] })
  const taken = newApiKey()
  const { activity } = (await submit('create_api_keys', { userId, apiKeys: [newApiKey(), taken] })).body
  expect(activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  const giveAway = () => submit('create_api_keys', { userId: rootUserId, apiKeys: [taken] })
  expect((await giveAway()).status).toBe(400)
  clock.nowMs += 86_401_000
  expect((await giveAway()).status).toBe(200)
  // The own approval has ended by then.
  await submit('approve_activity', { fingerprint: activity.fingerprint })
  const voted = await submit('approve_activity', { fingerprint: activity.fingerprint }, { apiKey: asks.apiKey })
  expect(voted.body.activity).toMatchObject({
    status: 'ACTIVITY_STATUS_FAILED',
    failure: { message: expect.stringContaining('parameters.apiKeys[1].publicKey must be one that nothing else') },
  })
  const { users } = await found('list_users')
  type User = { readonly userId: string; readonly apiKeys: readonly { readonly credential: { publicKey: string } }[] }
  const holders = users.filter(({ apiKeys }: User) =>
    apiKeys.some(({ credential }) => credential.publicKey === taken.publicKey),
  )
  expect(holders.map((user: User) => user.userId)).toEqual([rootUserId])
})
