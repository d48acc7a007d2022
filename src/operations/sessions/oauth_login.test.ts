import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { claimsOf } from '../../../test/support/logins.ts'
import { expectRefused, newApiKey, newUser, repeated } from '../../../test/support/organization.ts'
import { startOrganizationWithIssuer } from '../../../test/support/organization_with_issuer.ts'
import { type ApiKeyPair, generateApiKey } from '../../../test/support/stamping.ts'

const organization = await startOrganizationWithIssuer()
const { idToken, clock, organizationId, submit, done, found, query, anotherUser } = organization

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const sub = 'ada'
const oauthProviders = [{ providerName: 'Issuer', oidcToken: idToken({ sub }) }]
const [userId] = (await done('create_users', { users: [newUser({ oauthProviders })] })).userIds

/** The nonce of clients: a hash of the text of the key, not of its bytes. */
const nonceOf = ({ publicKey }: ApiKeyPair) => createHash('sha256').update(publicKey, 'ascii').digest('hex')

function loginFor(apiKey: ApiKeyPair, claims: object = {}) {
  return { oidcToken: idToken({ sub, nonce: nonceOf(apiKey), ...claims }), publicKey: apiKey.publicKey }
}

/** The same token with the other signature by ECDSA of the same key: `s` is `n - s`. */
function withOtherSignature(token: string): string {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const [r, s] = [bytes.subarray(0, 32), BigInt(`0x${bytes.subarray(32).toString('hex')}`)]
  const other = (p256Order - s).toString(16).padStart(64, '0')
  return [header, payload, Buffer.concat([r, Buffer.from(other, 'hex')]).toString('base64url')].join('.')
}

const p256Order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

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

describe('a token logs in once', () => {
  test('so a session that was deleted, or that another login ended, does not come back', async () => {
    for (const end of ['deleted', 'ended by another login'] as const) {
      const apiKey = generateApiKey()
      const login = loginFor(apiKey)
      const first = await submit('oauth_login', login)
      if (end === 'deleted') {
        const { apiKeys } = await found('get_api_keys', { userId })
        const { apiKeyId } = apiKeys.find(
          (key: { credential: { publicKey: string } }) => key.credential.publicKey === apiKey.publicKey,
        )
        await done('delete_api_keys', { userId, apiKeyIds: [apiKeyId] })
      } else await done('oauth_login', { ...loginFor(generateApiKey()), invalidateExisting: true })
      expectRefused(await submit('oauth_login', login), 400, 'it was used before')
      const base64 = Buffer.from(login.oidcToken).toString('base64')
      expectRefused(await submit('oauth_login', { ...login, oidcToken: base64 }), 400, 'it was used before')
      expectRefused(await query('whoami', {}, { apiKey }), 401)
      // A client that lost the answer gets it again.
      const { message } = first.body.activity.votes[0]
      const again = await organization.server.post('/public/v1/submit/oauth_login', message, organization.rootKey)
      expect([again.status, again.body.activity.id]).toEqual([200, first.body.activity.id])
    }
  })

  test('with another signature of the same content too', async () => {
    const apiKey = generateApiKey()
    const { publicKey } = apiKey
    const seconds = Math.floor(clock.nowMs / 1_000)
    const claims = { sub, nonce: nonceOf(apiKey), iat: seconds, exp: seconds + 3_600 }
    const oidcToken = await organization.issuer.mint(claims, { alg: 'ES256' })
    await done('oauth_login', { oidcToken, publicKey })
    await done('oauth_login', { ...loginFor(generateApiKey()), invalidateExisting: true })
    const other = withOtherSignature(oidcToken)
    expect(other).not.toBe(oidcToken)
    expectRefused(await submit('oauth_login', { oidcToken: other, publicKey }), 400, 'it was used before')
  })

  test('of two requests at once, one logs in', async () => {
    const login = loginFor(generateApiKey())
    const both = await Promise.all(
      repeated(2, (index) => submit('oauth_login', { ...login, expirationSeconds: `${60 + index}` })),
    )
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400])
  })

  test('in each organization, and proves an identity to others besides', async () => {
    const own = generateApiKey()
    const login = loginFor(own, { sub: 'several' })
    const providers = [{ providerName: 'Issuer', oidcToken: login.oidcToken }]
    const { userId: hereId } = await anotherUser('several')
    await done('create_oauth_providers', { userId: hereId, oauthProviders: providers })
    const { subOrganizationId, rootUserIds } = await done('create_sub_organization', {
      subOrganizationName: 'sub',
      rootUsers: [{ userName: 'several', apiKeys: [], authenticators: [], oauthProviders: providers }],
      rootQuorumThreshold: 1,
    })
    await done('oauth_login', login)
    const there = { organizationId: subOrganizationId }
    await done('oauth_login', login, there)
    const { apiKeys } = await found('get_api_keys', { userId: rootUserIds[0] }, there)
    const inside = { ...there, apiKey: own }
    await done('delete_api_keys', { userId: rootUserIds[0], apiKeyIds: [apiKeys[0].apiKeyId] }, inside)
    expectRefused(await submit('oauth_login', login, there), 400, 'it was used before')
    expect((await query('whoami', {}, { apiKey: own })).status).toBe(200)
  })
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

describe('a login that waits for votes', () => {
  const { rootUserId } = organization

  /** Submits a login, has two users approve it after a time, and returns the session's key with the activity. */
  async function approvedAfter(waitedMs: number, claims: object = {}) {
    const [second, third] = [await anotherUser(), await anotherUser()]
    const userIds = [rootUserId, second.userId, third.userId]
    await done('update_root_quorum', { threshold: 2, userIds })
    const session = generateApiKey()
    const asked = await submit('oauth_login', loginFor(session, claims))
    expect(asked.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    clock.nowMs += waitedMs
    const approve = async ({ body }: typeof asked, { apiKey }: typeof second) =>
      (await submit('approve_activity', { fingerprint: body.activity.fingerprint }, { apiKey })).body.activity
    const first = await approve(asked, second)
    const activity = waitedMs < dayMs ? first : await approve(asked, third)
    await approve(await submit('update_root_quorum', { threshold: 1, userIds: [rootUserId] }), second)
    return { session, activity }
  }

  test('may run after its token has expired', async () => {
    const seconds = Math.floor(clock.nowMs / 1_000)
    const { session, activity } = await approvedAfter(3 * hourMs, { iat: seconds - 20 * 3_600, exp: seconds + 60 })
    expect(activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    expect((await query('whoami', {}, { apiKey: session })).status).toBe(200)
  })

  test('opens no session once its token is older than a day', async () => {
    for (const [waitedMs, age] of [
      [5 * hourMs, 20 * 3_600],
      [3 * dayMs, 0],
    ] as const) {
      const seconds = Math.floor(clock.nowMs / 1_000)
      const { session, activity } = await approvedAfter(waitedMs, { iat: seconds - age, exp: seconds + 60 })
      expect(activity).toMatchObject({
        status: 'ACTIVITY_STATUS_FAILED',
        failure: { message: expect.stringContaining('parameters.oidcToken: it is older than a day') },
      })
      expectRefused(await query('whoami', {}, { apiKey: session }), 401)
    }
  })
})
