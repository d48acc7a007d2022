import { connect } from 'node:net'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { oidcClientId, startOidcIssuer } from '../../../test/support/oidc_issuer.ts'
import {
  type Ask,
  absentId,
  expectRefused,
  newApiKey,
  newUser,
  repeated,
  startOrganization,
  uuid,
} from '../../../test/support/organization.ts'
import { startOrganizationWithIssuer } from '../../../test/support/organization_with_issuer.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const oidcAudiences = [oidcClientId, 'other client', 'third client', 'two']
const organization = await startOrganizationWithIssuer({ oidcAudiences })
const { clock, issuer, idToken, rootUserId, submit, done, found, anotherUser } = organization
const { userId, apiKey } = await anotherUser()

let count = 0
const newSub = () => `sub ${++count}`
const byToken = (sub = newSub(), claims: object = {}) => ({
  providerName: 'Issuer',
  oidcToken: idToken({ sub, ...claims }),
})
const byClaims = (sub: string, given: object = {}) => ({
  providerName: 'Other client',
  oidcClaims: { iss: issuer.url, sub, aud: 'other client', ...given },
})

async function identitiesOf(id: string): Promise<object[]> {
  const { oauthProviders } = await found('get_oauth_providers', { userId: id })
  return oauthProviders.map(({ issuer, audience, subject }: Record<string, string>) => [issuer, audience, subject])
}
async function newUserId(): Promise<string> {
  return (await done('create_users', { users: [newUser()] })).userIds[0]
}

test('a provider has the issuer, the client and the subject of its token', async () => {
  const userId = await newUserId()
  const [ada, bob] = [newSub(), newSub()]
  const oauthProviders = [byToken(ada), byToken(bob, { aud: ['third client', 'two'], azp: 'two' })]
  const result = await done('create_oauth_providers', { userId: userId.toUpperCase(), oauthProviders })
  expect(result).toStrictEqual({ providerIds: [uuid, uuid] })
  expect(await identitiesOf(userId)).toEqual([
    [issuer.url, issuer.clientId, ada],
    [issuer.url, 'two', bob],
  ])
  const withStranger = byToken(newSub(), { aud: ['one', 'two'], azp: 'two' })
  const refused = await submit('create_oauth_providers', { userId, oauthProviders: [withStranger] })
  expectRefused(refused, 400, 'the client "one" is not in CLAVIGER_OIDC_AUDIENCES')
})

test('a token may be encoded in base64 once more, as the interface says', async () => {
  const userId = await newUserId()
  const sub = newSub()
  const oidcToken = Buffer.from(idToken({ sub })).toString('base64')
  await done('create_oauth_providers', { userId, oauthProviders: [{ providerName: 'Issuer', oidcToken }] })
  expect(await identitiesOf(userId)).toEqual([[issuer.url, issuer.clientId, sub]])
})

test('claims add further audiences of an identity that a token proves', async () => {
  const userId = await newUserId()
  const sub = newSub()
  await done('create_oauth_providers', { userId, oauthProviders: [byClaims(sub), byToken(sub)] })
  expect(await identitiesOf(userId)).toEqual([
    [issuer.url, 'other client', sub],
    [issuer.url, issuer.clientId, sub],
  ])
})

describe('claims are for clients of the operator’s own apps only, because anybody may own another client:', () => {
  const expected = 'oauthProviders[1].oidcClaims must be of a client in CLAVIGER_OIDC_AUDIENCES, like the token'

  test('a claimed client must be listed', async () => {
    const sub = newSub()
    const oauthProviders = [byToken(sub), byClaims(sub, { aud: 'client of eve' })]
    expectRefused(await submit('create_oauth_providers', { userId, oauthProviders }), 400, expected)
    expect(await identitiesOf(userId)).toEqual([])
  })

  test("without a list no claims are accepted, and each client's token is an identity of its own", async () => {
    const { issuer, idToken, rootUserId, submit, done, found } = await startOrganizationWithIssuer({
      oidcAudiences: [],
    })
    const token = { providerName: 'a', oidcToken: idToken({ sub: 'victim', aud: 'client of eve' }) }
    const oidcClaims = { iss: issuer.url, sub: 'victim', aud: 'client of the app' }
    const oauthProviders = [token, { providerName: 'b', oidcClaims }]
    expectRefused(await submit('create_oauth_providers', { userId: rootUserId, oauthProviders }), 400, expected)
    await done('create_oauth_providers', { userId: rootUserId, oauthProviders: [token] })
    expect((await found('get_oauth_providers')).oauthProviders).toMatchObject([{ audience: 'client of eve' }])
  })

  test('with a list, tokens of other clients are refused everywhere', async () => {
    const oidcToken = idToken({ sub: newSub(), aud: 'client of eve' })
    const refused = 'the client "client of eve" is not in CLAVIGER_OIDC_AUDIENCES'
    const oauthProviders = [{ providerName: 'a', oidcToken }]
    const answer = await submit('create_oauth_providers', { userId, oauthProviders })
    expectRefused(answer, 400, 'invalid OIDC token: parameters.oauthProviders[0].oidcToken', refused)
    expectRefused(await submit('create_users', { users: [newUser({ oauthProviders })] }), 400, refused)
    const { publicKey } = generateApiKey()
    expectRefused(await submit('oauth_login', { oidcToken, publicKey }), 400, refused)
    const filter = { filterType: 'OIDC_TOKEN', filterValue: oidcToken }
    expectRefused(await organization.query('list_suborgs', filter), 400, refused)
  })
})

describe('invalid providers are refused', () => {
  const sub = newSub()
  const oidcClaims = byClaims(sub).oidcClaims
  const one = (...oauthProviders: readonly object[]) => ({ oauthProviders })
  const linked = 'oauthProviders[1].oidcClaims must be the iss and sub of an oidcToken in the same list'
  for (const [claim, change, status, text] of [
    ['none', one(), 400, 'parameters.oauthProviders must be a list of 1 to 20'],
    ['21', one(...repeated(21, () => byToken())), 400, 'parameters.oauthProviders must be a list of 1 to 20'],
    ['of an unknown user', { userId: absentId }, 404, `there is no user ${absentId} in this organization`],
    ['no name', one({ ...byToken(), providerName: '' }), 400, 'oauthProviders[0].providerName must be a text of 1 to'],
    ['neither token nor claims', one({ providerName: 'a' }), 400, 'oauthProviders[0] must be with either oidcToken or'],
    ['token and claims', one({ ...byToken(sub), oidcClaims }), 400, 'oauthProviders[0] must be with either oidcToken'],
    ['claims alone', one(byClaims(sub)), 400, 'oauthProviders[0].oidcClaims must be the iss and sub of an oidcToken'],
    ['claims of another subject', one(byToken(), byClaims(sub)), 400, linked],
    ['claims of another issuer', one(byToken(sub), byClaims(sub, { iss: 'https://other.example' })), 400, linked],
    ['a malformed token', one({ providerName: 'a', oidcToken: 'token' }), 400, 'oauthProviders[0].oidcToken'],
    ['an expired token', one(byToken(sub, { exp: Math.floor(clock.nowMs / 1_000) - 61 })), 400, 'it has expired'],
    ['a token of another issuer', one(byToken(sub, { iss: 'https://other.example' })), 400, 'CLAVIGER_OIDC_ISSUERS'],
    ['a token without a subject', one(byToken(sub, { sub: undefined })), 400, 'invalid OIDC token'],
  ] as const) {
    test(claim, async () => {
      const parameters = { userId, oauthProviders: [byToken()], ...change }
      expectRefused(await submit('create_oauth_providers', parameters), status, text)
      expect(await identitiesOf(userId)).toEqual([])
    })
  }

  test('a forged token', async () => {
    const [header, , signature] = idToken({ sub }).split('.')
    const [, payload] = idToken({ sub: 'eve' }).split('.')
    const forged = { providerName: 'Issuer', oidcToken: [header, payload, signature].join('.') }
    const answer = await submit('create_oauth_providers', { userId, ...one(byToken(), forged) })
    expectRefused(answer, 400, 'invalid OIDC token: parameters.oauthProviders[1].oidcToken: its signature')
    expect(answer.body.turnkeyErrorCode).toBe('INVALID_OIDC_TOKEN')
    expect(await identitiesOf(userId)).toEqual([])
  })
})

test('an identity belongs to only one user of the organization, and only once', async () => {
  const [sub, bystander] = [newSub(), await newUserId()]
  const taken = async (oauthProviders: readonly object[], at: number) => {
    const answer = await submit('create_oauth_providers', { userId: bystander, oauthProviders })
    expectRefused(answer, 409, `a user of this organization has this OAuth provider already: `, `oauthProviders[${at}]`)
    expect(answer.body.turnkeyErrorCode).toBe('OAUTH_PROVIDER_ALREADY_EXISTS')
  }
  await taken([byToken(sub), byToken(sub)], 1)
  await taken([byToken(sub), byClaims(sub, { aud: issuer.clientId })], 1)
  await done('create_oauth_providers', { userId: bystander, oauthProviders: [byToken(sub), byClaims(sub)] })
  await taken([byToken(sub)], 0)
  await taken([byToken(sub, { aud: 'third client' }), byClaims(sub)], 1)
  await done('create_oauth_providers', { userId, oauthProviders: [byToken(sub, { aud: 'third client' })] })
})

test('users may add providers to themselves and to nobody else', async () => {
  const oauthProviders = [byToken()]
  expectRefused(await submit('create_oauth_providers', { userId: rootUserId, oauthProviders }, { apiKey }), 403)
  await done('create_oauth_providers', { userId, oauthProviders }, { apiKey })
})

test('a user has at most ten providers', async () => {
  const userId = await newUserId()
  await done('create_oauth_providers', { userId, oauthProviders: repeated(10, () => byToken()) })
  const answer = await submit('create_oauth_providers', { userId, oauthProviders: [byToken()] })
  expectRefused(answer, 429, 'user has exceeded maximum oauth providers (10)')
})

describe('when votes are needed', async () => {
  const voting = await startOrganizationWithIssuer()
  const second = await voting.anotherUser('second')
  const userIds = [voting.rootUserId, second.userId]
  await voting.done('update_root_quorum', { threshold: 2, userIds })
  const parametersFor = (sub: string) => ({
    userId: second.userId,
    oauthProviders: [{ providerName: 'Issuer', oidcToken: voting.idToken({ sub }) }],
  })
  const approve = (fingerprint: string) => voting.submit('approve_activity', { fingerprint }, { apiKey: second.apiKey })
  const providersNow = async () => (await voting.found('get_oauth_providers')).oauthProviders.length

  test('a token counts if it was valid at the time of submission', async () => {
    const { body } = await voting.submit('create_oauth_providers', parametersFor('ada'))
    expect(body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    expect(await providersNow()).toBe(0)
    voting.clock.nowMs += 23 * 3_600_000
    const approved = await approve(body.activity.fingerprint)
    expect(approved.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(await providersNow()).toBe(1)
  })

  test('a token that never was valid is refused before anybody votes', async () => {
    const parameters = parametersFor('bob')
    voting.clock.nowMs += 2 * 3_600_000
    expectRefused(await voting.submit('create_oauth_providers', parameters), 400, 'it has expired')
  })

  test('a vote is refused while the issuer does not answer, and may be cast again', async () => {
    const { body } = await voting.submit('create_oauth_providers', parametersFor('eve'))
    const before = await providersNow()
    voting.clock.nowMs += 2 * 3_600_000 // The issuer's keys must be fetched again.
    voting.issuer.intercept = (_request, response) => {
      response.writeHead(500).end()
      return true
    }
    onTestFinished(() => {
      voting.issuer.intercept = undefined
    })
    expect((await approve(body.activity.fingerprint)).status).toBe(503)
    expect(await providersNow()).toBe(before)
    voting.issuer.intercept = undefined
    voting.clock.nowMs += 2_000
    expect((await approve(body.activity.fingerprint)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(await providersNow()).toBe(before + 1)
  })
})

test('an issuer that does not answer gives 503, and nothing is changed', async () => {
  const alone = await startOrganizationWithIssuer()
  alone.issuer.intercept = (_request, response) => {
    response.writeHead(500).end()
    return true
  }
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: alone.idToken({ sub: 'ada' }) }]
  const { status, body } = await alone.submit('create_oauth_providers', { userId: alone.rootUserId, oauthProviders })
  expect([status, body.code]).toEqual([503, 14])
  expect(body.message).toContain(`the keys of the issuer ${alone.issuer.url} cannot be fetched`)
  expect(await alone.found('get_oauth_providers')).toEqual({ oauthProviders: [] })
})

describe('a parent may link the Google identities of its users:', async () => {
  const googleUrl = 'https://accounts.google.com'
  const google = await startOidcIssuer({ host: 'accounts.google.com' })
  afterAll(() => google.close())
  google.intercept = ({ url }, response) => {
    if (url !== '/.well-known/openid-configuration') return false
    const configuration = { issuer: googleUrl, jwks_uri: `${googleUrl}/jwks` }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...configuration, id_token_signing_alg_values_supported: ['RS256'] }))
    return true
  }
  const userEmail = 'Ada@example.com'

  /** A server with these audiences, and a sub-organization with a user of that address. */
  async function startParent(oidcAudiences: readonly string[]) {
    const parent = await startOrganization({
      oidcIssuers: [googleUrl, 'https://other.example'],
      oidcAudiences,
      caFile: google.caFile,
      openPipe: () => connect(google.port, '127.0.0.1'),
    })
    const child = generateApiKey()
    const apiKeys = [newApiKey({ publicKey: child.publicKey })]
    const { subOrganizationId: organizationId, rootUserIds } = await parent.done('create_sub_organization', {
      subOrganizationName: 'child',
      rootUsers: [{ userName: 'Ada', userEmail, apiKeys, authenticators: [], oauthProviders: [] }],
      rootQuorumThreshold: 1,
    })
    const linking = (claims: object, ask: Ask = {}) => {
      const seconds = Math.floor(parent.clock.nowMs / 1_000)
      const times = { iat: seconds, exp: seconds + 3_600 }
      const oidcToken = google.mintNow({ iss: googleUrl, sub: newSub(), ...times, ...claims })
      const parameters = { userId: rootUserIds[0], oauthProviders: [{ providerName: 'Google', oidcToken }] }
      return parent.submit('create_oauth_providers', parameters, { organizationId, ...ask })
    }
    const verified = async () => {
      const filter = { filterType: 'EMAIL', filterValue: userEmail }
      return (await parent.found('list_verified_suborgs', filter)).organizationIds
    }
    return { ...parent, organizationId, rootUserIds, child, linking, verified }
  }
  const parent = await startParent([oidcClientId])
  const { organizationId, rootUserIds, child, linking } = parent
  const shown = { email: 'ada@example.com', email_verified: true, hd: 'Example.com' }

  test('by the user’s verified e-mail address', async () => {
    expect(await parent.verified()).toEqual([])
    const { body } = await linking(shown)
    expect(body.activity?.status, JSON.stringify(body)).toBe('ACTIVITY_STATUS_COMPLETED')
    const { oauthProviders } = await parent.found('get_oauth_providers', {}, { organizationId, apiKey: child })
    expect(oauthProviders).toMatchObject([{ issuer: googleUrl, providerName: 'Google' }])
    expect(await parent.verified()).toEqual([organizationId])
  })

  test('users who add it themselves verify the address too', async () => {
    const other = await startParent([oidcClientId])
    expect((await other.linking(shown, { apiKey: other.child })).status).toBe(200)
    expect(await other.verified()).toEqual([other.organizationId])
  })

  test('not by one that Google does not host, whoever shows it: the present holder of the mailbox may be somebody else', async () => {
    const other = await startParent([oidcClientId])
    const stale = { ...shown, hd: undefined }
    expect((await other.linking(stale, { apiKey: other.child })).status).toBe(200)
    const ask = { organizationId: other.organizationId, apiKey: other.child }
    expect((await other.found('get_oauth_providers', {}, ask)).oauthProviders).toHaveLength(1)
    expect(await other.verified()).toEqual([])
  })

  test('not by a token of an unlisted client, which anybody may own. The token adds an identity and verifies nothing', async () => {
    const unlisted = await startParent([])
    const answer = await unlisted.linking(shown)
    expectRefused(answer, 400, 'a parent may only add Google identities', 'CLAVIGER_OIDC_AUDIENCES')
    expect((await unlisted.linking({ ...shown, aud: 'client of eve' }, { apiKey: unlisted.child })).status).toBe(200)
    const ask = { organizationId: unlisted.organizationId, apiKey: unlisted.child }
    expect((await unlisted.found('get_oauth_providers', {}, ask)).oauthProviders).toHaveLength(1)
    expect(await unlisted.verified()).toEqual([])
  })

  for (const [claim, claims] of [
    ['an unverified address', { ...shown, email_verified: false }],
    ['another address', { ...shown, email: 'eve@example.com' }],
    ['an address that Google does not host', { ...shown, hd: undefined }],
    ['an address of another domain than the organization at Google', { ...shown, hd: 'mail.example.com' }],
    ['none', {}],
  ] as const) {
    test(`not by ${claim}`, async () => {
      const answer = await linking(claims)
      expectRefused(answer, 400, 'organization mismatch: a parent may only add Google identities')
      expect(answer.body.turnkeyErrorCode).toBe('ORGANIZATION_MISMATCH')
    })
  }

  test('not by a user of the parent without permissions', async () => {
    const { apiKey } = await parent.anotherUser()
    const parameters = { userId: rootUserIds[0], oauthProviders: [{ providerName: 'a', oidcToken: 'a' }] }
    expectRefused(await parent.submit('create_oauth_providers', parameters, { organizationId, apiKey }), 403)
  })
})
