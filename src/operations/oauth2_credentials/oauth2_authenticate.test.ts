import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { decryptCredentialBundle } from '@turnkey/crypto'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { newTarget } from '../../../test/support/bundles.ts'
import { claimsOf } from '../../../test/support/logins.ts'
import { startOidcIssuer } from '../../../test/support/oidc_issuer.ts'
import { type Ask, expectRefused, newUser, startOrganization } from '../../../test/support/organization.ts'
import { oauth2EndpointsOf, startOrganizationWithIssuer } from '../../../test/support/organization_with_issuer.ts'
import { encryptersTo, newOauth2Credential } from '../../../test/support/provider_secrets.ts'
import { type ApiKeyPair, generateApiKey } from '../../../test/support/stamping.ts'

// A real provider over TLS, treated as one without ID tokens.

const organization = await startOrganizationWithIssuer()
const { issuer, server, clock, submit, done, found, anotherUser } = organization
const { encryptOauth2 } = encryptersTo(await server.vault.publishedKeys())

async function newCredential(given: object = {}, secret = issuer.clientSecret): Promise<string> {
  const credential = newOauth2Credential(await encryptOauth2(secret), { clientId: issuer.clientId, ...given })
  return (await done('create_oauth2_credential', credential)).oauth2CredentialId
}
const oauth2CredentialId = await newCredential()

const nonceOf = ({ publicKey }: ApiKeyPair) => createHash('sha256').update(publicKey, 'ascii').digest('hex')

/** Does what a client does: logs in at the provider and keeps the verifier of its challenge. */
async function codeFor(
  sub: string,
  { publicKey }: Pick<ApiKeyPair, 'publicKey'> = generateApiKey(),
  { login, redirectUri }: Pick<typeof issuer, 'login' | 'redirectUri'> = issuer,
) {
  const codeVerifier = randomBytes(32).toString('base64url')
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
  const authCode = await login({ sub, codeChallenge })
  const nonce = createHash('sha256').update(publicKey).digest('hex')
  return { oauth2CredentialId, authCode, redirectUri, codeVerifier, nonce }
}

/** Replaces the answers of the provider for one test. */
function intercept(answer: (request: IncomingMessage, response: ServerResponse) => boolean): void {
  issuer.intercept = answer
  onTestFinished(() => {
    issuer.intercept = undefined
  })
}

test("a code becomes an ID token of this server's own", async () => {
  const apiKey = generateApiKey()
  const { oidcToken } = await done('oauth2_authenticate', await codeFor('ada', apiKey))
  const iat = Math.floor(clock.nowMs / 1_000)
  expect(claimsOf(oidcToken)).toStrictEqual({
    iss: 'https://keys.example',
    aud: issuer.clientId,
    sub: 'a:ada',
    iat,
    exp: iat + 900,
    nonce: nonceOf(apiKey),
  })
  const { uncompressed = '' } = (await server.vault.publishedKeys()).tlsFetcherSigning ?? {}
  const [x, y] = [uncompressed.slice(2, 66), uncompressed.slice(66)].map((hex) =>
    Buffer.from(hex, 'hex').toString('base64url'),
  )
  const keys = createLocalJWKSet({
    keys: [{ kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '', kid: 'tlsFetcherSigning' }],
  })
  const { payload } = await jwtVerify(oidcToken, keys, { currentDate: new Date(clock.nowMs) })
  expect(payload.sub).toBe('a:ada')
})

test('only the submitter sees the token, which would add the identity to any user', async () => {
  const { activity } = (await submit('oauth2_authenticate', await codeFor('ada'))).body
  const shownTo = async (ask: Ask) =>
    (await found('get_activity', { activityId: activity.id }, ask)).activity.result.oauth2AuthenticateResult
  expect(await shownTo({})).toEqual(activity.result.oauth2AuthenticateResult)
  expect(await shownTo({ apiKey: (await anotherUser()).apiKey })).toEqual({ oidcToken: '' })
})

test("a server's own token needs a listed client only to vouch for further clients", async () => {
  const unlisted = await startOrganizationWithIssuer({ oidcAudiences: ['another client'] })
  const { encryptOauth2 } = encryptersTo(await unlisted.server.vault.publishedKeys())
  const { clientId, clientSecret } = unlisted.issuer
  const secret = await encryptOauth2(clientSecret)
  const made = await unlisted.done('create_oauth2_credential', newOauth2Credential(secret, { clientId }))
  const parameters = { ...(await codeFor('ada', undefined, unlisted.issuer)), ...made }
  const { oidcToken } = await unlisted.done('oauth2_authenticate', parameters)
  const token = { providerName: 'Provider', oidcToken }
  const oidcClaims = { iss: 'https://keys.example', sub: 'a:ada', aud: 'another client' }
  const add = (...oauthProviders: readonly object[]) =>
    unlisted.submit('create_oauth_providers', { userId: unlisted.rootUserId, oauthProviders })
  expectRefused(await add(token, { providerName: 'b', oidcClaims }), 400, 'of a client in CLAVIGER_OIDC_AUDIENCES')
  expect((await add(token)).status).toBe(200)
})

test('users of two providers with the same id are two users', async () => {
  const other = await newCredential({ provider: 'OAUTH2_PROVIDER_DISCORD' })
  const parameters = { ...(await codeFor('ada')), oauth2CredentialId: other }
  expect(claimsOf((await done('oauth2_authenticate', parameters)).oidcToken).sub).toBe('b:ada')
})

test('the token registers a user and logs the user in without another request to the provider', async () => {
  const apiKey = generateApiKey()
  const { oidcToken } = await done('oauth2_authenticate', await codeFor('bob', apiKey))
  const asked = issuer.requests.length
  const users = [newUser({ oauthProviders: [{ providerName: 'Provider', oidcToken }] })]
  const [userId] = (await done('create_users', { users })).userIds
  await done('oauth_login', { oidcToken, publicKey: apiKey.publicKey })
  expect(await found('whoami', {}, { apiKey })).toMatchObject({ userId })
  expect(issuer.requests).toHaveLength(asked)

  clock.nowMs += 961_000
  const answer = await submit('oauth_login', { oidcToken, publicKey: generateApiKey().publicKey })
  expectRefused(answer, 400, 'it has expired')
})

test("the provider's bearer token is encrypted to the client's key", async () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '', d = '' } = pair.privateKey.export({ format: 'jwk' })
  const hex = (text: string) => Buffer.from(text, 'base64url').toString('hex')
  const parameters = { ...(await codeFor('ada')), bearerTokenTargetPublicKey: `04${hex(x)}${hex(y)}` }
  const { oidcToken } = await done('oauth2_authenticate', parameters)
  const { encrypted_bearer_token: bundle, sub } = claimsOf(oidcToken)
  expect(sub).toBe('a:ada')
  const accessToken = Buffer.from(decryptCredentialBundle(bundle, hex(d)), 'hex').toString()
  expect(await issuer.userOf(accessToken)).toMatchObject({ sub: 'ada' })
})

test('a bearer token that is too long to encrypt is refused with its length, but only if the client asks for it', async () => {
  const { targetPublicKey } = newTarget()
  const answers = { '/token': { access_token: 'a'.repeat(1_996), token_type: 'Bearer' }, '/me': { sub: 'ada' } }
  intercept(({ url }, response) => {
    const answer = answers[url as keyof typeof answers]
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    return true
  })
  const parameters = { oauth2CredentialId, authCode: 'a', redirectUri: 'b', codeVerifier: 'c', nonce: 'd' }
  const wanted = { ...parameters, bearerTokenTargetPublicKey: targetPublicKey }
  expectRefused(await submit('oauth2_authenticate', wanted), 400, 'parameters.bearerTokenTargetPublicKey', '1996 bytes')
  expect(claimsOf((await done('oauth2_authenticate', parameters)).oidcToken).sub).toBe('a:ada')
  answers['/token'].access_token = 'a'.repeat(1_995)
  await done('oauth2_authenticate', wanted)
})

test('the same request asks the provider only once', async () => {
  const body = {
    type: 'ACTIVITY_TYPE_OAUTH2_AUTHENTICATE',
    timestampMs: String(clock.nowMs),
    organizationId: organization.organizationId,
    parameters: await codeFor('ada'),
  }
  const path = '/public/v1/submit/oauth2_authenticate'
  const first = await server.post(path, body, organization.rootKey)
  expect(first.body.activity?.status, JSON.stringify(first.body)).toBe('ACTIVITY_STATUS_COMPLETED')
  expect((await server.post(path, body, organization.rootKey)).body).toEqual(first.body)
})

test('a code is exchanged although the organization changes meanwhile', async () => {
  const parameters = await codeFor('ada')
  const renamed: Promise<unknown>[] = []
  intercept(({ url }) => {
    if (url === '/me') renamed.push(done('update_organization_name', { organizationName: 'Renamed meanwhile' }))
    return false
  })
  const { oidcToken } = await done('oauth2_authenticate', parameters)
  await Promise.all(renamed)
  expect(renamed).toHaveLength(1)
  expect(claimsOf(oidcToken).sub).toBe('a:ada')
})

describe('no token is issued for', () => {
  const wrong = async (change: object) => ({ ...(await codeFor('eve')), ...change })
  for (const [claim, parameters, status, text] of [
    [
      'an invented code',
      () => wrong({ authCode: 'code' }),
      400,
      'parameters.authCode: the provider refuses it: invalid_grant',
    ],
    [
      'another verifier',
      () => wrong({ codeVerifier: 'a'.repeat(43) }),
      400,
      'parameters.authCode: the provider refuses it',
    ],
    [
      'another address',
      () => wrong({ redirectUri: 'https://evil.example/' }),
      400,
      'the provider refuses it: invalid_grant',
    ],
    [
      'a wrong secret',
      async () => wrong({ oauth2CredentialId: await newCredential({}, 'guessed') }),
      400,
      'parameters.oauth2CredentialId: the provider refuses it: invalid_client',
    ],
    [
      'another client',
      async () => wrong({ oauth2CredentialId: await newCredential({ clientId: 'another' }) }),
      400,
      'parameters.oauth2CredentialId: the provider refuses it: invalid_client',
    ],
    ['an unknown credential', () => wrong({ oauth2CredentialId: 'none' }), 404, 'there is no oauth2 credential none'],
    ['no code', () => wrong({ authCode: '' }), 400, 'parameters.authCode must be a text of 1 to 4096 characters'],
    ['no nonce', () => wrong({ nonce: null }), 400, 'parameters.nonce must be present'],
    ['an invalid key', () => wrong({ bearerTokenTargetPublicKey: '04' }), 400, 'parameters.bearerTokenTargetPublicKey'],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('oauth2_authenticate', await parameters()), status, text)
    })
  }

  test('a used code', async () => {
    const parameters = await codeFor('ada')
    await done('oauth2_authenticate', parameters)
    expectRefused(await submit('oauth2_authenticate', parameters), 400, 'parameters.authCode: the provider refuses it')
  })

  test('a user without permissions', async () => {
    const { apiKey } = await anotherUser()
    expectRefused(await submit('oauth2_authenticate', await codeFor('ada'), { apiKey }), 403)
  })
})

describe('503 if the provider does not answer properly:', () => {
  const json = (response: ServerResponse, status: number, body: unknown) => {
    // Text stands as it is: JSON has numbers that no number of JavaScript is.
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    return true
  }
  const token = { access_token: 'token', token_type: 'Bearer' }
  for (const [claim, path, status, body, text] of [
    ['it fails', '/token', 500, { error: 'server_error' }, 'it answers 500'],
    ['it gives no token', '/token', 200, {}, 'it answers no bearer token'],
    ['it gives another kind of token', '/token', 200, { ...token, token_type: 'mac' }, 'it answers no bearer token'],
    [
      'its token is long',
      '/token',
      200,
      { ...token, access_token: 'a'.repeat(16_385) },
      'longer than 16384 characters',
    ],
    ['the kind of its token is an object', '/token', 200, { ...token, token_type: { toString: 1 } }, 'no bearer token'],
    ['its refusal names no error', '/token', 400, { error: '<script>' }, 'it answers 400'],
    ['it does not know who the user is', '/me', 401, {}, 'it answers 401 and no id of a user'],
    ['it answers nothing about the user', '/me', 200, {}, 'it answers 200 and no id of a user'],
    ['the id is empty', '/me', 200, { sub: '' }, 'no id of a user'],
    ['the id is an object', '/me', 200, { sub: {} }, 'no id of a user'],
    ['the id has a blank', '/me', 200, { sub: 'a b' }, 'no id of a user'],
    ['the id is a number beyond 2^53', '/me', 200, '{"sub":9007199254740993}', 'no id of a user'],
    ['the id is a number that nothing holds', '/me', 200, '{"sub":1e400}', 'no id of a user'],
    ['the id is a fraction', '/me', 200, { sub: 1.5 }, 'no id of a user'],
  ] as const) {
    test(claim, async () => {
      const parameters = await codeFor('ada')
      intercept(({ url }, response) => {
        if (url === path) return json(response, status, body)
        return url === '/token' && json(response, 200, token)
      })
      const answer = await submit('oauth2_authenticate', parameters)
      expect([answer.status, answer.body.code]).toEqual([503, 14])
      expect(answer.body.message).toContain(text)
    })
  }

  test('a failed answer is not kept: the provider is asked again', async () => {
    const parameters = await codeFor('ada')
    intercept((_request, response) => json(response, 503, {}))
    expect((await submit('oauth2_authenticate', parameters)).status).toBe(503)
    issuer.intercept = undefined
    expect(claimsOf((await done('oauth2_authenticate', parameters)).oidcToken).sub).toBe('a:ada')
  })
})

test('a server without its own address issues no ID tokens and uses no code up', async () => {
  const provider = await startOidcIssuer()
  afterAll(() => provider.close())
  const nameless = await startOrganization({
    oidcIssuers: [],
    caFile: provider.caFile,
    oauth2Endpoints: oauth2EndpointsOf(provider),
    ownIssuer: null,
  })
  const { encryptOauth2: encrypt } = encryptersTo(await nameless.server.vault.publishedKeys())
  const credential = newOauth2Credential(await encrypt(provider.clientSecret), { clientId: provider.clientId })
  const made = await nameless.done('create_oauth2_credential', credential)
  const parameters = { ...made, authCode: 'a', redirectUri: 'b', codeVerifier: 'c', nonce: 'd' }
  const answer = await nameless.submit('oauth2_authenticate', parameters)
  expect([answer.status, answer.body.turnkeyErrorCode]).toEqual([400, 'OAUTH2_PROVIDER_NOT_CONFIGURED'])
  expect(answer.body.message).toContain('CLAVIGER_PUBLIC_URL')
  expect(provider.requests).toEqual([])
})
