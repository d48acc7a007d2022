import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newApiKey,
  newAuthenticator,
  newUser,
  repeated,
  uuid,
} from '../../../test/support/organization.ts'
import { startOrganizationWithIssuer } from '../../../test/support/organization_with_issuer.ts'
import { newPasskey, registrationOf } from '../../../test/support/passkeys.ts'

const organization = await startOrganizationWithIssuer({ limits: { usersMax: 150 } })
const { issuer, idToken, rootUserId, submit, done, found, anotherUser } = organization

test('users are created in the given order, with the given data', async () => {
  const key = newApiKey({ apiKeyName: 'laptop', expirationSeconds: '900' })
  const { userIds, ...rest } = await done('create_users', {
    users: [
      newUser({ userName: 'Ada', userEmail: 'ada@example.com', userPhoneNumber: '+14155550123', apiKeys: [key] }),
      newUser({ userName: 'Ada' }),
    ],
  })
  expect(rest).toStrictEqual({})
  expect(userIds).toStrictEqual([uuid, uuid])

  const first = await found('get_user', { userId: userIds[0] })
  expect(first.user).toMatchObject({ userName: 'Ada', userEmail: 'ada@example.com', userPhoneNumber: '+14155550123' })
  expect(first.user.apiKeys).toMatchObject([{ apiKeyName: 'laptop', expirationSeconds: '900' }])
  const second = await found('get_user', { userId: userIds[1] })
  expect(Object.keys(second.user)).not.toContain('userEmail')
})

describe('invalid users are refused', () => {
  const [long, expiring] = [newApiKey(), newApiKey({ expirationSeconds: '60' })]
  const passkey = newPasskey('ES256')
  for (const [claim, users, status, text] of [
    ['no user', [], 400, 'parameters.users must be a list of 1 to 100'],
    ['101 users', repeated(101, () => newUser()), 400, 'parameters.users must be a list of 1 to 100'],
    [
      'no e-mail address',
      [newUser({ userEmail: 'ada' })],
      400,
      'parameters.users[0].userEmail must be an e-mail address',
    ],
    ['a local phone number', [newUser({ userPhoneNumber: '0123' })], 400, 'userPhoneNumber must be a phone number'],
    [
      'an unknown tag',
      [newUser({ userTags: [absentId] })],
      404,
      `parameters.users[0].userTags[0]: there is no user tag ${absentId} in this organization`,
    ],
    ['101 tags', [newUser({ userTags: repeated(101, () => absentId) })], 400, 'userTags must be a list of at most 100'],
    [
      '21 passkeys',
      [newUser({ authenticators: repeated(21, () => newAuthenticator()) })],
      400,
      'parameters.users[0].authenticators must be a list of at most 20',
    ],
    [
      '11 passkeys',
      [newUser({ authenticators: repeated(11, () => newAuthenticator()) })],
      429,
      'user has exceeded maximum authenticators (10)',
    ],
    [
      'a passkey with the challenge of another',
      [newUser({ authenticators: [newAuthenticator({ challenge: 'AAAA' })] })],
      400,
      'parameters.users[0].authenticators[0].challenge must be the challenge that stands in clientDataJson',
    ],
    [
      'a passkey twice',
      [
        newUser({ authenticators: [newAuthenticator({ passkey })] }),
        newUser({ authenticators: [newAuthenticator({ passkey })] }),
      ],
      400,
      'parameters.users[1].authenticators[0].attestation.credentialId must be a credential that the request names once',
    ],
    ['21 keys', [newUser({ apiKeys: repeated(21, () => newApiKey()) })], 400, 'apiKeys must be a list of at most 20'],
    [
      '11 long-lived keys',
      [newUser({ apiKeys: repeated(11, () => newApiKey()) })],
      429,
      'maximum long-lived api keys (10)',
    ],
    [
      '11 expiring keys',
      [newUser({ apiKeys: repeated(11, () => newApiKey({ expirationSeconds: '60' })) })],
      429,
      'maximum short-lived api keys (10)',
    ],
    [
      'a key off the curve',
      [newUser({ apiKeys: [newApiKey({ publicKey: `02${'f'.repeat(64)}` })] })],
      400,
      'apiKeys[0].publicKey',
    ],
    [
      'a key twice',
      [newUser({ apiKeys: [long] }), newUser({ apiKeys: [long] })],
      400,
      'parameters.users[1].apiKeys[0].publicKey',
    ],
    [
      'a key twice for one user',
      [newUser({ apiKeys: [expiring, expiring] })],
      400,
      'parameters.users[0].apiKeys[1].publicKey',
    ],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('create_users', { users }), status, text)
    })
  }
})

describe('OAuth providers of new users', () => {
  const byToken = (sub: string) => ({ providerName: 'Issuer', oidcToken: idToken({ sub }) })
  const byClaims = (sub: string) => ({
    providerName: 'Other client',
    oidcClaims: { iss: issuer.url, sub, aud: 'another client' },
  })
  const usersWith = (...lists: readonly (readonly object[])[]) => ({
    users: lists.map((oauthProviders) => newUser({ oauthProviders })),
  })

  test('are the identities of their tokens', async () => {
    const { userIds } = await done('create_users', usersWith([byToken('ada'), byClaims('ada')], [byToken('bob')]))
    const providersOf = async (userId: string) => (await found('get_oauth_providers', { userId })).oauthProviders
    expect(await providersOf(userIds[0])).toMatchObject([
      { providerName: 'Issuer', issuer: issuer.url, audience: issuer.clientId, subject: 'ada' },
      { providerName: 'Other client', issuer: issuer.url, audience: 'another client', subject: 'ada' },
    ])
    expect(await providersOf(userIds[1])).toMatchObject([{ subject: 'bob' }])
  })

  for (const [claim, lists, status, text] of [
    ['an invalid token', [[], [{ providerName: 'a', oidcToken: 'a' }]], 400, 'users[1].oauthProviders[0].oidcToken'],
    ['neither token nor claims', [[{ providerName: 'a' }]], 400, 'users[0].oauthProviders[0] must be with either'],
    [
      'claims that another user’s token shows',
      [[byToken('x')], [byClaims('x')]],
      400,
      'users[1].oauthProviders[0].oidc',
    ],
    ['an identity of two users', [[byToken('x')], [byToken('x')]], 409, 'parameters.users[1].oauthProviders[0]'],
    ['an identity that another user has', [[byToken('ada')]], 409, 'parameters.users[0].oauthProviders[0]'],
    ['21 of a user', [repeated(21, () => byToken('x'))], 400, 'oauthProviders must be a list of at most 20'],
    ['11 of a user', [repeated(11, (index) => byToken(`x${index}`))], 429, 'maximum oauth providers (10)'],
  ] as const) {
    test(`cannot be ${claim}`, async () => {
      const there = (await found('list_users')).users.length
      expectRefused(await submit('create_users', usersWith(...lists)), status, text)
      expect((await found('list_users')).users).toHaveLength(there)
    })
  }
})

test('a user may have ten long-lived and ten expiring keys', async () => {
  const apiKeys = [...repeated(10, () => newApiKey()), ...repeated(10, () => newApiKey({ expirationSeconds: '60' }))]
  const { userIds } = await done('create_users', { users: [newUser({ apiKeys })] })
  expect((await found('get_api_keys', { userId: userIds[0] })).apiKeys).toHaveLength(20)
})

test('a key that another user has is refused', async () => {
  const { apiKey } = await anotherUser()
  const users = [newUser({ apiKeys: [newApiKey({ publicKey: apiKey.publicKey.toUpperCase() })] })]
  expectRefused(
    await submit('create_users', { users }),
    400,
    'already in use: parameters.users[0].apiKeys[0].publicKey',
  )
})

test('a user may have passkeys only, and they work', async () => {
  const passkeys = [newPasskey('ES256'), newPasskey('RS256')]
  const authenticators = passkeys.map((passkey) => newAuthenticator({ passkey }))
  const [userId] = (await done('create_users', { users: [newUser({ authenticators })] })).userIds
  for (const passkey of passkeys) expect((await found('whoami', {}, { passkey })).userId).toBe(userId)
  expect((await found('get_user', { userId })).user).toMatchObject({ apiKeys: [], authenticators: { length: 2 } })
})

test('a passkey that another user has is refused', async () => {
  const passkey = newPasskey('ES256')
  const users = () => [newUser({ authenticators: [newAuthenticator({ passkey })] })]
  await done('create_users', { users: users() })
  const text = 'already in use: parameters.users[0].authenticators[0].attestation.credentialId'
  expectRefused(await submit('create_users', { users: users() }), 400, text)
})

test('a user outside of the root quorum may not create users', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('create_users', { users: [newUser()] }, { apiKey }), 403)
})

test('the first type takes a `PublicKeyCredential` of a browser', async () => {
  const passkey = newPasskey('ES256')
  const { challenge, attestation } = registrationOf(passkey)
  const { credentialId: rawId, clientDataJson, attestationObject } = attestation
  const response = { clientDataJson, attestationObject, transports: ['AUTHENTICATOR_TRANSPORT_HYBRID'] }
  const credential = { id: rawId, type: 'public-key', rawId, response, clientExtensionResults: {} }
  const authenticator = { authenticatorName: 'old', userId: rootUserId, challenge, attestation: credential }
  const user = { userName: 'old', accessType: 'ACCESS_TYPE_WEB', apiKeys: [], userTags: [] }
  const users = (given: object) => ({ users: [{ ...user, authenticators: [{ ...authenticator, ...given }] }] })
  const type = 'ACTIVITY_TYPE_CREATE_USERS'

  const wrong = users({ attestation: { ...credential, id: 'AAAA' } })
  const text = 'parameters.users[0].authenticators[0].attestation.id must be the id that rawId is'
  expectRefused(await submit('create_users', wrong, { type }), 400, text)
  const { userIds } = await done('create_users', users({}), { type })
  expect(await found('whoami', {}, { passkey })).toMatchObject({ userId: userIds[0] })
})

test('a hundred users at once are accepted, but no more than the organization may have', async () => {
  const users = repeated(100, () => newUser())
  expect((await done('create_users', { users })).userIds).toHaveLength(100)
  const there = (await found('list_users')).users.length
  expectRefused(await submit('create_users', { users }), 429, 'an organization has at most 150 users')
  expect((await found('list_users')).users).toHaveLength(there)
  await done('create_users', { users: repeated(150 - there, () => newUser()) })
  expectRefused(await submit('create_users', { users: [newUser()] }), 429)
})
