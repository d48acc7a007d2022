import { expect, test } from 'vitest'
import { claimsOf } from '../../../test/support/logins.ts'
import { expectRefused, newApiKey, startOrganization } from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const { submit, done, found, query, clock, organizationId, rootUserId, rootKey, anotherUser } =
  await startOrganization()

test('the user who stamps the request is logged in, also outside of the quorum', async () => {
  const { userId, apiKey } = await anotherUser()
  const session = generateApiKey()
  const { body } = await submit('stamp_login', { publicKey: session.publicKey }, { apiKey })
  const claims = claimsOf(body.activity.result.stampLoginResult.session)
  expect(claims).toMatchObject({
    user_id: userId,
    organization_id: organizationId,
    public_key: session.publicKey,
    exp: Math.floor(clock.nowMs / 1_000) + 900,
  })
  expect(await found('whoami', {}, { apiKey: session })).toMatchObject({ userId })
})

test('a session can renew itself with a new key', async () => {
  const [first, second] = [generateApiKey(), generateApiKey()]
  await done('stamp_login', { publicKey: first.publicKey })
  await done('stamp_login', { publicKey: second.publicKey, invalidateExisting: true }, { apiKey: first })
  expect(await found('whoami', {}, { apiKey: second })).toMatchObject({ userId: rootUserId })
  expectRefused(await query('whoami', {}, { apiKey: first }), 401)
  expect((await query('whoami', {}, { apiKey: rootKey })).status).toBe(200)
})

test('a session outlives the time of the API key that opened it, and ends when that key is deleted', async () => {
  const { userId } = await anotherUser()
  const [short, session] = [generateApiKey(), generateApiKey()]
  const apiKeys = [newApiKey({ publicKey: short.publicKey, expirationSeconds: '60' })]
  const { apiKeyIds } = await done('create_api_keys', { userId, apiKeys })
  await done('stamp_login', { publicKey: session.publicKey }, { apiKey: short })
  clock.nowMs += 61_000
  expectRefused(await query('whoami', {}, { apiKey: short }), 401)
  expect(await found('whoami', {}, { apiKey: session })).toMatchObject({ userId })
  await done('delete_api_keys', { userId, apiKeyIds })
  expectRefused(await query('whoami', {}, { apiKey: session }), 401)
})

test('invalid requests are refused', async () => {
  const { publicKey } = generateApiKey()
  for (const [wrong, text] of [
    [{ publicKey: rootKey.publicKey }, 'parameters.publicKey'],
    [{ publicKey: `02${'ff'.repeat(32)}` }, 'parameters.publicKey'],
    [{ publicKey: 'hex' }, 'parameters.publicKey'],
    [{ publicKey, expirationSeconds: '0' }, 'parameters.expirationSeconds'],
    [{ publicKey, expirationSeconds: '2592001' }, 'parameters.expirationSeconds'],
  ] as const) {
    expectRefused(await submit('stamp_login', wrong), 400, text)
  }
  expect((await submit('stamp_login', { publicKey, expirationSeconds: '2592000' })).status).toBe(200)
})

test('a session of a profile has its name, its scope and the shorter time, and may do nothing outside of its scope', async () => {
  const profile = { sessionProfileName: 'reader', scope: "activity.action == 'SIGN'", expirationSeconds: '600' }
  const { sessionProfileId } = await done('create_session_profile', profile)
  const session = generateApiKey()
  const parameters = { publicKey: session.publicKey, sessionProfileId, expirationSeconds: '900' }
  const claims = claimsOf((await done('stamp_login', parameters)).session)
  expect(claims).toMatchObject({ session_type: 'reader', session_profile_id: sessionProfileId, scope: profile.scope })
  expect(claims.exp).toBe(Math.floor(clock.nowMs / 1_000) + 600)
  expect(await found('whoami', {}, { apiKey: session })).toMatchObject({ userId: rootUserId })
  expectRefused(await query('list_wallets', {}, { apiKey: session }), 403, 'the scope of this session')
  expectRefused(await submit('create_wallet', { walletName: 'w', accounts: [] }, { apiKey: session }), 403)
  const unknown = { publicKey: generateApiKey().publicKey, sessionProfileId: '01234567-89ab-7cde-8f01-23456789abcd' }
  expectRefused(await submit('stamp_login', unknown), 404, 'parameters.sessionProfileId')
})
