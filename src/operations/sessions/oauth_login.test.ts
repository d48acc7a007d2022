import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { claimsOf } from '../../../test/support/logins.ts'
import { expectRefused, newApiKey, newUser } from '../../../test/support/organization.ts'
import { startOrganizationWithIssuer } from '../../../test/support/organization_with_issuer.ts'
import { type ApiKeyPair, generateApiKey } from '../../../test/support/stamping.ts'

const organization = await startOrganizationWithIssuer()
const { idToken, clock, organizationId, submit, done, found, query, anotherUser } = organization

const sub = 'ada'
const oauthProviders = [{ providerName: 'Issuer', oidcToken: idToken({ sub }) }]
const [userId] = (await done('create_users', { users: [newUser({ oauthProviders })] })).userIds

/** The nonce of clients: a hash of the text of the key, not of its bytes. */
const nonceOf = ({ publicKey }: ApiKeyPair) => createHash('sha256').update(publicKey, 'ascii').digest('hex')

function loginFor(apiKey: ApiKeyPair, claims: object = {}) {
  return { oidcToken: idToken({ sub, nonce: nonceOf(apiKey), ...claims }), publicKey: apiKey.publicKey }
}

test('an ID token logs in the user who has its identity, until the session expires', async () => {
  const apiKey = generateApiKey()
  const { session } = await done('oauth_login', { ...loginFor(apiKey), expirationSeconds: '60' })
  expect(claimsOf(session)).toStrictEqual({
    exp: Math.floor((clock.nowMs + 60_000) / 1_000),
    public_key: apiKey.publicKey,
    session_type: 'SESSION_TYPE_READ_WRITE',
    user_id: userId,
    organization_id: organizationId,
  })
  expect(await found('whoami', {}, { apiKey })).toMatchObject({ userId })
  const { apiKeys } = await found('get_api_keys', { userId }, { apiKey })
  expect(apiKeys).toMatchObject([{ credential: { type: 'CREDENTIAL_TYPE_LOGIN' }, expirationSeconds: '60' }])
  clock.nowMs += 60_000
  expectRefused(await query('whoami', {}, { apiKey }), 401, 'expired api key publicKey')
})

test('the issuer’s code flow leads to a session', async () => {
  const apiKey = generateApiKey()
  const publicKey = apiKey.publicKey
  const real = await startOrganizationWithIssuer()
  real.clock.nowMs = Date.now()
  const oidcToken = await real.issuer.idToken({ sub: 'ada', nonce: nonceOf(apiKey) })
  const providers = [{ providerName: 'Issuer', oidcToken }]
  await real.done('create_oauth_providers', { userId: real.rootUserId, oauthProviders: providers })
  await real.done('oauth_login', { oidcToken, publicKey })
  expect(await real.found('whoami', {}, { apiKey })).toMatchObject({ userId: real.rootUserId })
})

test('the second nonce and a public key in capitals are accepted', async () => {
  const [first, second] = [generateApiKey(), generateApiKey()]
  await done('oauth_login', loginFor(first, { nonce: 'the issuer’s own', tknonce: nonceOf(first) }))
  await done('oauth_login', { ...loginFor(second), publicKey: second.publicKey.toUpperCase() })
  for (const apiKey of [first, second]) expect(await found('whoami', {}, { apiKey })).toMatchObject({ userId })
})

test('invalidateExisting ends the other sessions of the user', async () => {
  const [first, second] = [generateApiKey(), generateApiKey()]
  await done('oauth_login', loginFor(first))
  await done('oauth_login', { ...loginFor(second), invalidateExisting: true })
  expectRefused(await query('whoami', {}, { apiKey: first }), 401)
  expect((await query('whoami', {}, { apiKey: second })).status).toBe(200)
})

describe('no user is logged in by', () => {
  const apiKey = generateApiKey()
  const seconds = Math.floor(clock.nowMs / 1_000)
  const bytes = createHash('sha256').update(Buffer.from(apiKey.publicKey, 'hex')).digest('hex')
  for (const [claim, claims, status, text] of [
    ['a token for another key', { nonce: nonceOf(generateApiKey()) }, 400, 'parameters.oidcToken: its nonce must be'],
    ['a token without a nonce', { nonce: undefined }, 400, 'parameters.oidcToken: its nonce must be'],
    ['a nonce of the bytes of the key', { nonce: bytes }, 400, 'parameters.oidcToken: its nonce must be'],
    ['a nonce in capitals', { nonce: nonceOf(apiKey).toUpperCase() }, 400, 'parameters.oidcToken: its nonce must be'],
    ['an expired token', { iat: seconds - 120, exp: seconds - 61 }, 400, 'it has expired'],
    ['a token of an issuer that is not accepted', { iss: 'https://other.example' }, 400, 'CLAVIGER_OIDC_ISSUERS'],
    ['an unknown identity', { sub: 'eve' }, 404, 'no user of this organization has the identity'],
    ['an identity at another client', { aud: 'another client' }, 404, 'no user of this organization has the identity'],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('oauth_login', loginFor(apiKey, claims)), status, text)
      expectRefused(await query('whoami', {}, { apiKey }), 401)
    })
  }

  test('a token with changed claims', async () => {
    const { oidcToken: genuine, publicKey } = loginFor(apiKey, { sub: 'eve' })
    const [header, , signature] = genuine.split('.')
    const [, payload] = loginFor(apiKey).oidcToken.split('.')
    const oidcToken = [header, payload, signature].join('.')
    expectRefused(await submit('oauth_login', { oidcToken, publicKey }), 400, 'its signature does not verify')
  })

  test('a deleted provider', async () => {
    const gone = [{ providerName: 'Issuer', oidcToken: idToken({ sub: 'bob' }) }]
    const { userId: bobId } = await anotherUser('bob')
    const { providerIds } = await done('create_oauth_providers', { userId: bobId, oauthProviders: gone })
    const session = generateApiKey()
    await done('oauth_login', loginFor(session, { sub: 'bob' }))
    await done('delete_oauth_providers', { userId: bobId, providerIds })
    expectRefused(await submit('oauth_login', loginFor(generateApiKey(), { sub: 'bob' })), 404)
    expectRefused(await query('whoami', {}, { apiKey: session }), 401)
  })

  test('a user without permissions', async () => {
    const { apiKey: stranger } = await anotherUser()
    expectRefused(await submit('oauth_login', loginFor(apiKey), { apiKey: stranger }), 403)
  })
})

test('a parent logs in users of its sub-organizations', async () => {
  const providers = [{ providerName: 'Issuer', oidcToken: idToken({ sub: 'child' }) }]
  const { subOrganizationId, rootUserIds } = await done('create_sub_organization', {
    subOrganizationName: 'sub',
    rootUsers: [{ userName: 'child', apiKeys: [], authenticators: [], oauthProviders: providers }],
    rootQuorumThreshold: 1,
  })
  const apiKey = generateApiKey()
  const login = loginFor(apiKey, { sub: 'child' })
  expectRefused(await submit('oauth_login', login), 404)
  await done('oauth_login', login, { organizationId: subOrganizationId })
  const inside = { apiKey, organizationId: subOrganizationId }
  expect(await found('whoami', {}, inside)).toMatchObject({ userId: rootUserIds[0] })
  await done('create_api_keys', { userId: rootUserIds[0], apiKeys: [newApiKey()] }, inside)
})
