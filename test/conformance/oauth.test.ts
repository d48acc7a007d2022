import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  decryptCredentialBundle,
  encryptOauth2ClientSecret,
  generateP256KeyPair,
  verifySessionJwtSignature,
} from '@turnkey/crypto'
import type { TurnkeyApiClient } from '@turnkey/sdk-server'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newTarget } from '../support/bundles.ts'
import { dialects, serverClient } from '../support/clients.ts'
import { claimsOf, verifiedByJose, verifiedByKeySet } from '../support/logins.ts'
import { type OidcIssuer, startOidcIssuer } from '../support/oidc_issuer.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'

/**
 * Logins by OAuth with the unmodified clients: ID tokens of a real OpenID Connect issuer, and codes of a real OAuth 2.0
 * provider, both over TLS, which know nothing of the server.
 */

const publicUrl = 'https://keys.example'

let issuer: OidcIssuer
let provider: OidcIssuer
let server: RunningServer
let keys: Readonly<
  Record<'tlsFetcherSigning' | 'tlsFetcherEncryption' | 'sessionSigning', { readonly uncompressed: string }>
>
beforeAll(async () => {
  issuer = await startOidcIssuer()
  provider = await startOidcIssuer({ authority: issuer.authority })
  const providersFile = join(mkdtempSync(join(tmpdir(), 'claviger-providers-')), 'providers.json')
  const endpoints = { tokenUrl: `${provider.url}/token`, userUrl: `${provider.url}/me`, userIdPath: ['sub'] }
  writeFileSync(providersFile, JSON.stringify({ OAUTH2_PROVIDER_X: { ...endpoints, subjectPrefix: 'provider' } }))
  server = await startRunningServer({
    flags: [
      ...['--oidc-issuers', issuer.url, '--oidc-audiences', `${issuer.clientId},phone`, '--ca-file', issuer.caFile],
      ...['--providers-file', providersFile, '--public-url', publicUrl],
    ],
  })
  keys = await (await fetch(`${server.url}/.well-known/claviger-keys.json`)).json()
})
afterAll(async () => {
  await server.stop()
  await issuer.close()
  await provider.close()
})

/** What the provider was shown at its token endpoint: RFC 6749, 2.3.1. */
let clientsSeen: (string | undefined)[] = []
beforeEach(() => {
  clientsSeen = []
  provider.intercept = ({ url, headers }) => {
    if (url === '/token') clientsSeen.push(headers.authorization)
    return false
  }
})

type KeyPair = { readonly publicKey: string; readonly privateKey: string }

const sha256 = (text: string) => createHash('sha256').update(text)

/** Binds a token to the key that it will log in. */
const nonceOf = ({ publicKey }: KeyPair) => sha256(publicKey).digest('hex')

describe.each(dialects)('@turnkey/sdk-server and @turnkey/crypto against the dialect %s', (dialect) => {
  let root: TurnkeyApiClient
  beforeAll(() => {
    root = serverClient(server, dialect)
  })

  const clientOf = ({ publicKey, privateKey }: KeyPair, organizationId = server.credentials.organizationId) =>
    serverClient(server, dialect, { apiPublicKey: publicKey, apiPrivateKey: privateKey, organizationId })

  async function newOauth2Credential(clientSecret = provider.clientSecret): Promise<string> {
    const { uncompressed } = keys.tlsFetcherEncryption
    const { oauth2CredentialId } = await root.createOauth2Credential({
      provider: 'OAUTH2_PROVIDER_X',
      clientId: provider.clientId,
      encryptedClientSecret: await encryptOauth2ClientSecret(clientSecret, uncompressed),
    })
    return oauth2CredentialId
  }

  /** Logs `sub` in at the provider as an app does, and gives what the server needs besides the credential. */
  async function newCode(sub: string, sessionKey: KeyPair) {
    const codeVerifier = randomBytes(32).toString('base64url')
    const authCode = await provider.login({ sub, codeChallenge: sha256(codeVerifier).digest('base64url') })
    return { authCode, codeVerifier, redirectUri: provider.redirectUri, nonce: nonceOf(sessionKey) }
  }

  test("create_oauth_providers: the issuer's ID token logs the user in, whose session key stamps requests, until the provider is deleted", async () => {
    // A backend with the parent's key, and a user with a key in a sub-organization.
    const sub = `${dialect}-ada`
    const ownKey: KeyPair = generateP256KeyPair()
    const { subOrganizationId: organizationId, rootUserIds: [userId = ''] = [] } = await root.createSubOrganization({
      subOrganizationName: sub,
      rootUsers: [
        {
          userName: 'Ada',
          apiKeys: [{ apiKeyName: 'own', publicKey: ownKey.publicKey, curveType: 'API_KEY_CURVE_P256' }],
          authenticators: [],
          oauthProviders: [],
        },
      ],
      rootQuorumThreshold: 1,
    })
    const ada = clientOf(ownKey, organizationId)
    const sessionKey: KeyPair = generateP256KeyPair()
    const login = async (key: KeyPair, boundTo = key) => ({
      organizationId,
      publicKey: key.publicKey,
      oidcToken: await issuer.idToken({ sub, nonce: nonceOf(boundTo) }),
    })
    const another: KeyPair = generateP256KeyPair()
    const nobody = 'Turnkey error 5: not found: no user of this organization has the identity that the token shows'
    await expect(root.oauthLogin(await login(another))).rejects.toThrow(nobody)

    const { providerIds } = await ada.createOauthProviders({
      userId,
      oauthProviders: [
        { providerName: 'Web', oidcToken: await issuer.idToken({ sub }) },
        { providerName: 'Phone', oidcClaims: { iss: issuer.url, sub, aud: 'phone' } },
      ],
    })
    const { oauthProviders } = await ada.getOauthProviders({ userId })
    expect(oauthProviders).toMatchObject([
      { providerId: providerIds[0], providerName: 'Web', issuer: issuer.url, audience: issuer.clientId, subject: sub },
      { providerId: providerIds[1], providerName: 'Phone', issuer: issuer.url, audience: 'phone', subject: sub },
    ])

    const parameters = await login(sessionKey)
    const filter = { filterType: 'OIDC_TOKEN', filterValue: parameters.oidcToken }
    expect((await root.getSubOrgIds(filter)).organizationIds).toEqual([organizationId])
    const { session } = await root.oauthLogin(parameters)
    const claims = {
      public_key: sessionKey.publicKey,
      session_type: 'SESSION_TYPE_READ_WRITE',
      user_id: userId,
      organization_id: organizationId,
      exp: expect.any(Number),
    }
    expect(claimsOf(session)).toEqual(claims)
    if (dialect === 'hosted') {
      expect(await verifySessionJwtSignature(session, keys.sessionSigning.uncompressed)).toBe(true)
    } else expect(await verifiedByJose(session, keys.sessionSigning)).toEqual(claims)
    const logged = clientOf(sessionKey, organizationId)
    expect(await logged.getWhoami()).toMatchObject({ organizationId, userId, username: 'Ada' })
    expect((await logged.createWallet({ walletName: 'Hers', accounts: [] })).walletId).toMatch(/-/)

    const phoneKey: KeyPair = generateP256KeyPair()
    const { publicKey } = phoneKey
    const oidcToken = await issuer.mint({ sub, aud: 'phone', nonce: nonceOf(phoneKey) })
    await root.oauthLogin({ organizationId, publicKey, oidcToken })
    expect(await clientOf(phoneKey, organizationId).getWhoami()).toMatchObject({ userId })

    await expect(root.oauthLogin(await login(another, sessionKey))).rejects.toThrow(
      'Turnkey error 3: invalid OIDC token: parameters.oidcToken: its nonce must be',
    )
    expect((await logged.deleteOauthProviders({ userId, providerIds })).providerIds).toEqual(providerIds)
    await expect(root.oauthLogin(await login(another))).rejects.toThrow(nobody)
    expect((await root.getSubOrgIds(filter)).organizationIds).toEqual([])
  })

  test("create_oauth2_credential: the provider sees the client's id and secret, takes code and verifier, and its user logs in", async () => {
    const sub = `${dialect}-grace`
    const sessionKey: KeyPair = generateP256KeyPair()
    const { targetPublicKey, embeddedKey } = newTarget()
    const oauth2CredentialId = await newOauth2Credential()
    const code = { oauth2CredentialId, ...(await newCode(sub, sessionKey)) }
    const parameters = { ...code, bearerTokenTargetPublicKey: targetPublicKey }
    const { oidcToken } = await root.oauth2Authenticate(parameters)
    const { clientId, clientSecret } = provider
    expect(clientsSeen).toEqual([`Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`])
    const claims = await verifiedByKeySet(oidcToken, server)
    expect(claims).toMatchObject({ iss: publicUrl, aud: clientId, sub: `provider:${sub}`, nonce: code.nonce })
    const bearerToken = decryptCredentialBundle(String(claims.encrypted_bearer_token), embeddedKey)
    expect(await provider.userOf(Buffer.from(bearerToken, 'hex').toString())).toMatchObject({ sub })

    const user = { userName: 'Grace', apiKeys: [], authenticators: [], userTags: [] }
    const oauthProviders = [{ providerName: 'Provider', oidcToken }]
    const { userIds } = await root.createUsers({ users: [{ ...user, oauthProviders }] })
    const { publicKey } = sessionKey
    const { session } = await root.oauthLogin({ oidcToken, publicKey })
    expect(claimsOf(session)).toMatchObject({ user_id: userIds[0], public_key: publicKey })
    expect(await clientOf(sessionKey).getWhoami()).toMatchObject({ userId: userIds[0], username: 'Grace' })
  })

  test('create_oauth2_credential: what the provider refuses is told, with the field that it is about', async () => {
    const oauth2CredentialId = await newOauth2Credential()
    const code = await newCode('eve', generateP256KeyPair())
    const guessed = await newOauth2Credential('guessed')
    for (const [parameters, text] of [
      [{ ...code, oauth2CredentialId: guessed }, 'oauth2CredentialId: the provider refuses it: invalid_client'],
      [
        { ...code, oauth2CredentialId, codeVerifier: 'a'.repeat(43) },
        'authCode: the provider refuses it: invalid_grant',
      ],
    ] as const) {
      await expect(root.oauth2Authenticate(parameters)).rejects.toThrow(
        `Turnkey error 3: invalid request: parameters.${text}`,
      )
    }
    expect(clientsSeen).toHaveLength(2)
  })

  test('delete_oauth2_credential: no code is exchanged with it any more, and the provider is not asked', async () => {
    const sessionKey: KeyPair = generateP256KeyPair()
    const [deleted, kept] = [await newOauth2Credential(), await newOauth2Credential()]
    await root.oauth2Authenticate({ ...(await newCode('ada', sessionKey)), oauth2CredentialId: deleted })
    expect(clientsSeen).toHaveLength(1)
    const removed = await root.deleteOauth2Credential({ oauth2CredentialId: deleted })
    expect(removed.oauth2CredentialId).toBe(deleted)

    const code = await newCode('ada', sessionKey)
    const asked = provider.requests.length
    await expect(root.oauth2Authenticate({ ...code, oauth2CredentialId: deleted })).rejects.toThrow(
      `Turnkey error 5: not found: there is no oauth2 credential ${deleted}`,
    )
    expect(provider.requests).toHaveLength(asked)
    // The code is as good as before.
    const { oidcToken } = await root.oauth2Authenticate({ ...code, oauth2CredentialId: kept })
    expect(claimsOf(oidcToken).sub).toBe('provider:ada')
  })
})
