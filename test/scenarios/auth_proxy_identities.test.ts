import { createHash, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { claimsOf } from '../support/logins.ts'
import { expectRefused, newUser, organizationOf, type Parameters } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** Logins by the ID token of a real OIDC issuer, through the auth proxy. */

const organization = await startOrganizationWithIssuer()
const { server, clock, organizationId, idToken, done, found } = organization
await done('enable_auth_proxy', { operations: ['account', 'oauth_login'], allowedOrigins: ['*'], appName: 'Acme' })
const oauthProviders = [{ providerName: 'Issuer', oidcToken: idToken({ sub: 'ada' }) }]
const [userId] = (await done('create_users', { users: [newUser({ oauthProviders })] })).userIds

async function ask(name: string, body: Parameters) {
  clock.nowMs += 1
  const proxied = { configId: organizationId, requestId: randomUUID(), timestampMs: clock.nowMs }
  const bytes = Buffer.from(JSON.stringify(body))
  const answer = await server.submit({ path: `/v1/${name}`, body: bytes, stamps: [], dialect: 'spec', proxied })
  return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString()) }
}

async function asked(name: string, body: Parameters) {
  const answer = await ask(name, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

const nonceOf = ({ publicKey }: ApiKeyPair) => createHash('sha256').update(publicKey).digest('hex')
const accountOf = (oidcToken: string) => asked('account', { filterType: 'OIDC_TOKEN', filterValue: oidcToken })

test('the user who has the identity is found and logged in', async () => {
  const key = generateApiKey()
  const oidcToken = idToken({ sub: 'ada', nonce: nonceOf(key) })
  expect(await accountOf(oidcToken)).toEqual({ organizationId })
  const { session } = await asked('oauth_login', { oidcToken, publicKey: key.publicKey, invalidateExisting: false })
  expect(claimsOf(session)).toMatchObject({ user_id: userId, organization_id: organizationId })
  expect(await found('whoami', {}, { apiKey: key })).toMatchObject({ userId })
})

test('a user of a sub-organization is found there and logged in there', async () => {
  const made = await organization.subOrganization()
  const child = organizationOf(organization, made)
  const provider = { providerName: 'Issuer', oidcToken: idToken({ sub: 'end user' }) }
  await child.done('create_oauth_providers', { userId: made.rootUserId, oauthProviders: [provider] })
  const key = generateApiKey()
  const oidcToken = idToken({ sub: 'end user', nonce: nonceOf(key) })
  expect(await accountOf(oidcToken)).toEqual({ organizationId: made.organizationId })
  const { session } = await asked('oauth_login', { oidcToken, publicKey: key.publicKey })
  expect(claimsOf(session)).toMatchObject({ organization_id: made.organizationId })
  expect(await child.found('whoami', {}, { apiKey: key })).toMatchObject({ userId: made.rootUserId })
})

test('an identity that nobody has has no account', async () => {
  const key = generateApiKey()
  const oidcToken = idToken({ sub: 'nobody', nonce: nonceOf(key) })
  expect(await accountOf(oidcToken)).toEqual({})
  expectRefused(await ask('oauth_login', { oidcToken, publicKey: key.publicKey }), 404, 'nobody here has')
})

test('an identity that nobody has in the named organization does not have its IP allowlist asked', async () => {
  const key = generateApiKey()
  const oidcToken = idToken({ sub: 'stranger', nonce: nonceOf(key) })
  const child = organizationOf(organization, await organization.subOrganization())
  const answerOf = (named: string) => ask('oauth_login', { oidcToken, publicKey: key.publicKey, organizationId: named })
  const answer = await answerOf(randomUUID())
  expectRefused(answer, 404, 'nobody here has')
  const office = { sourceAddress: '203.0.113.7' }
  for (const { organizationId: named, done: doneThere } of [organization, child]) {
    expect(await answerOf(named)).toEqual(answer)
    await doneThere('set_ip_allowlist', { rules: [{ cidr: '203.0.113.0/24' }] }, office)
    expect(await answerOf(named)).toEqual(answer)
    await doneThere('remove_ip_allowlist', {}, office)
  }
})

test('a token of another key, or one that somebody has changed, logs nobody in', async () => {
  const [key, thief] = [generateApiKey(), generateApiKey()]
  const oidcToken = idToken({ sub: 'ada', nonce: nonceOf(key) })
  expectRefused(await ask('oauth_login', { oidcToken, publicKey: thief.publicKey }), 400, 'nonce')
  const [header = '', , signature = ''] = oidcToken.split('.')
  const claims = Buffer.from(JSON.stringify({ ...claimsOf(oidcToken), nonce: nonceOf(thief) })).toString('base64url')
  const forged = `${header}.${claims}.${signature}`
  for (const answer of [
    await ask('oauth_login', { oidcToken: forged, publicKey: thief.publicKey }),
    await ask('account', { filterType: 'OIDC_TOKEN', filterValue: forged }),
  ])
    expectRefused(answer, 400, 'OIDC token')
})

test('a public key and a passkey find their account, and nobody else’s', async () => {
  const { apiKey } = await organization.anotherUser('with a key')
  const child = await organization.subOrganization()
  const byKey = (filterValue: string) => asked('account', { filterType: 'PUBLIC_KEY', filterValue })
  expect(await byKey(apiKey.publicKey.toUpperCase())).toEqual({ organizationId })
  expect(await byKey(child.apiKey.publicKey)).toEqual({ organizationId: child.organizationId })
  expect(await byKey(generateApiKey().publicKey)).toEqual({})
  expect(await asked('account', { filterType: 'CREDENTIAL_ID', filterValue: 'bm9ib2R5' })).toEqual({})
})
