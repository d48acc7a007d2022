import { createHash, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { claimsOf } from '../support/logins.ts'
import { expectRefused, newUser } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** A login with an ID token and a key that no user has: `X-Stamp-Attested` on stamp_login. */

const organization = await startOrganizationWithIssuer()
const { server, clock, organizationId, idToken, done, found } = organization
const oauthProviders = [{ providerName: 'Issuer', oidcToken: idToken({ sub: 'ada' }) }]
const [userId] = (await done('create_users', { users: [newUser({ oauthProviders })] })).userIds

const nonceOf = ({ publicKey }: ApiKeyPair) => createHash('sha256').update(publicKey).digest('hex')

async function login(clientKey: ApiKeyPair, token: string, session = generateApiKey()) {
  clock.nowMs += 1
  const type = 'ACTIVITY_TYPE_STAMP_LOGIN'
  const parameters = { publicKey: session.publicKey }
  const body = Buffer.from(JSON.stringify({ type, timestampMs: String(clock.nowMs), organizationId, parameters }))
  const value = JSON.stringify({
    publicKeyAttestation: token,
    scheme: 'STAMP_ATTESTED_SCHEME_P256_OIDC',
    publicKey: clientKey.publicKey,
    signature: sign('sha256', body, clientKey.privateKey).toString('hex'),
  })
  const header = { header: 'x-stamp-attested', value: Buffer.from(value).toString('base64url') } as const
  const request = { path: '/public/v1/submit/stamp_login', body, stamps: [header], dialect: 'spec' } as const
  const answer = await server.submit({ ...request, sourceAddress: '127.0.0.1' })
  return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString()) }
}

test('the user who has the identity is logged in, by either nonce', async () => {
  for (const claim of ['nonce', 'tknonce']) {
    const [clientKey, session] = [generateApiKey(), generateApiKey()]
    const { status, body } = await login(clientKey, idToken({ sub: 'ada', [claim]: nonceOf(clientKey) }), session)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(claimsOf(body.activity.result.stampLoginResult.session)).toMatchObject({ user_id: userId })
    expect(await found('whoami', {}, { apiKey: session })).toMatchObject({ userId })
  }
})

test('a token logs in once, so a session that was deleted does not come back', async () => {
  const [clientKey, session] = [generateApiKey(), generateApiKey()]
  const token = idToken({ sub: 'ada', nonce: nonceOf(clientKey) })
  const first = await login(clientKey, token, session)
  expect(first.status).toBe(200)
  const refused = 'the attestation of the stamp is not valid: it was used before'
  expectRefused(await login(clientKey, token), 401, refused)
  const { apiKeys } = await found('get_api_keys', { userId })
  const { apiKeyId } = apiKeys.find(
    (key: { credential: { publicKey: string } }) => key.credential.publicKey === session.publicKey,
  )
  await done('delete_api_keys', { userId, apiKeyIds: [apiKeyId] })
  expectRefused(await login(clientKey, token, session), 401, refused)
})

test('a token of another key, of nobody, or of another client logs nobody in', async () => {
  const [clientKey, another] = [generateApiKey(), generateApiKey()]
  const nonce = nonceOf(clientKey)
  expectRefused(await login(another, idToken({ sub: 'ada', nonce })), 401, 'the nonce of the token is not of this key')
  expectRefused(await login(clientKey, idToken({ sub: 'ada' })), 401, 'the nonce of the token is not of this key')
  expectRefused(await login(clientKey, idToken({ sub: 'nobody', nonce })), 401, 'no user of this organization')
  expectRefused(
    await login(clientKey, idToken({ sub: 'ada', aud: 'another client', nonce })),
    401,
    'no user of this organization',
  )
  const foreign = idToken({ sub: 'ada', aud: 'client of eve', nonce })
  expectRefused(await login(clientKey, foreign), 401, 'the client "client of eve" is not in CLAVIGER_OIDC_AUDIENCES')
  const [header = '', claims = ''] = idToken({ sub: 'ada', nonce }).split('.')
  expectRefused(
    await login(clientKey, `${header}.${claims}.AAAA`),
    401,
    'the attestation of the stamp is not valid: invalid OIDC token: its signature',
  )
})
