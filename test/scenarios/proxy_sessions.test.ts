import { createHash, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import { proxyOf, proxyOrigin } from '../support/auth_proxy.ts'
import { newTarget } from '../support/bundles.ts'
import { claimsOf, loginsBy, passcodeFor } from '../support/logins.ts'
import {
  expectRefused,
  newAccount,
  newApiKey,
  newAuthenticator,
  newMfaPolicy,
  newPolicy,
  newPrivateKey,
  newUser,
  organizationOf,
  type Parameters,
} from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { newPasskey } from '../support/passkeys.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** What a session of the auth proxy may do that outlasts it. */

const organization = await startOrganizationWithIssuer()
const { server, clock, done, submit, found, idToken } = organization
const { ask, asked, throughProxy, attested } = proxyOf(organization)
const setting = 'sessionsMayChangeCredentials'

const given = (more: Parameters = {}) => ({
  operations: ['account', 'oauth_login', 'otp_init_v2', 'otp_verify_v2', 'otp_login_v2'],
  allowedOrigins: [proxyOrigin],
  appName: 'Acme',
  ...more,
})
const enable = (more?: Parameters) => done('enable_auth_proxy', given(more))
const closed = { [setting]: false }
await enable()
beforeEach(() => enable(closed))

const signer = (await server.vault.publishedKeys()).tlsFetcherSigning?.uncompressed ?? ''
const { newMailUser, loginFor, tokenFor } = loginsBy({
  done: throughProxy,
  signer,
  passcodeSentTo: (contact) => passcodeFor(server, contact),
})

/** The usual case: a sub-organization whose root quorum is the one user who logs in by a code. */
const child = await organization.subOrganization()
const inChild = organizationOf(organization, child)
const { userId: rootUserId, contact: ofRoot } = { userId: child.rootUserId, contact: 'end-user@example.org' }
await enable()
await inChild.done('update_user_email', {
  userId: rootUserId,
  userEmail: ofRoot,
  verificationToken: await tokenFor(ofRoot, generateApiKey()),
})

/** The parameters of a log-out. */
async function keyOf(session: ApiKeyPair, userId: string, at = inChild) {
  const { apiKeys } = await at.found('get_api_keys', { userId }, { apiKey: session })
  const own = apiKeys.find(
    ({ credential }: { credential: { publicKey: string } }) => credential.publicKey === session.publicKey,
  )
  return { userId, apiKeyIds: [String(own.apiKeyId)] }
}

async function sessionOf(contact: string): Promise<ApiKeyPair> {
  // Three codes in three minutes go to one address.
  clock.nowMs += 180_000
  const { sessionKey, parameters } = await loginFor(contact)
  await asked('otp_login_v2', parameters)
  return sessionKey
}

const { walletId } = await inChild.done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
const newTag = () => ({ privateKeyTagName: randomUUID(), privateKeyIds: [] })
const { privateKeyTagId } = await inChild.done('create_private_key_tag', newTag())

const apiKeys = () => [newApiKey({ apiKeyName: randomUUID() })]
const lasting: readonly (readonly [name: string, parametersOf: () => Parameters])[] = [
  ['create_api_keys', () => ({ userId: rootUserId, apiKeys: apiKeys() })],
  ['create_authenticators', () => ({ userId: rootUserId, authenticators: [newAuthenticator()] })],
  ['create_users', () => ({ users: [newUser({ apiKeys: apiKeys() })] })],
  ['update_user_phone_number', () => ({ userId: rootUserId, userPhoneNumber: '+14155550123' })],
  ['create_policy', () => newPolicy({ policyName: randomUUID(), effect: 'EFFECT_ALLOW', consensus: 'true' })],
  ['update_root_quorum', () => ({ threshold: 1, userIds: [rootUserId] })],
  ['update_wallet', () => ({ walletId, walletName: randomUUID() })],
  ['create_private_key_tag', newTag],
  ['update_private_key_tag', () => ({ privateKeyTagId, addPrivateKeyIds: [], removePrivateKeyIds: [] })],
  ['stamp_login', () => ({ publicKey: generateApiKey().publicKey, expirationSeconds: '2592000' })],
]

describe('where the settings allow it', () => {
  test('a session adds a passkey and an API key, as the kits do', async () => {
    await enable()
    const apiKey = await sessionOf(ofRoot)
    for (const [name, parametersOf] of lasting) await inChild.done(name, parametersOf(), { apiKey })
  })

  test('it is the default, and shown', async () => {
    await enable()
    expect((await found('get_auth_proxy_config')).config).toMatchObject({ [setting]: true })
    await enable(closed)
    expect((await found('get_auth_proxy_config')).config).toMatchObject(closed)
  })
})

describe('where the settings refuse it', () => {
  test.each(lasting)('a session of a sole root user cannot %s', async (name, parametersOf) => {
    const apiKey = await sessionOf(ofRoot)
    expectRefused(await inChild.submit(name, parametersOf(), { apiKey }), 403, setting)
    await inChild.done(name, parametersOf())
  })

  test('a session makes wallets, and does not export them', async () => {
    const apiKey = await sessionOf(ofRoot)
    const { walletId } = await inChild.done(
      'create_wallet',
      { walletName: 'mine', accounts: [newAccount()] },
      { apiKey },
    )
    const target = { walletId, targetPublicKey: newTarget().targetPublicKey }
    expectRefused(await inChild.submit('export_wallet', target, { apiKey }), 403, setting)
  })

  /** All that a session does within its time. A new deed is refused until somebody decides that it is one of these. */
  const withinASession = [
    ...['create_private_keys', 'init_import_private_key', 'import_private_key', 'delete_private_keys'],
    ...['create_wallet', 'create_wallet_accounts', 'init_import_wallet', 'import_wallet'],
    ...['delete_wallets', 'delete_wallet_accounts', 'spark_prepare_lightning_receive'],
    ...['sign_raw_payload', 'sign_raw_payloads', 'sign_transaction'],
  ]

  test('every other activity of the catalogue is refused', async () => {
    const apiKey = await sessionOf(ofRoot)
    for (const operation of operations) {
      if (operation.kind === 'query') continue
      const { name, casts } = operation
      const isWithin = withinASession.includes(name)
      const given = name === 'delete_api_keys' ? { userId: rootUserId, apiKeyIds: [randomUUID()] } : {}
      const { status, body } = await inChild.submit(name, given, { apiKey })
      expect(status, name).toBeGreaterThanOrEqual(400)
      expect(body.message.includes(setting), name).toBe(!isWithin && casts === undefined)
    }
  })

  test('a session makes a key with a tag, and neither names nor tags a key that is there', async () => {
    const apiKey = await sessionOf(ofRoot)
    const key = newPrivateKey({ privateKeyName: randomUUID(), privateKeyTags: [privateKeyTagId] })
    const { privateKeys } = await inChild.done('create_private_keys', { privateKeys: [key] }, { apiKey })
    const tagged = { privateKeyTagId, addPrivateKeyIds: [], removePrivateKeyIds: [privateKeys[0].privateKeyId] }
    expectRefused(await inChild.submit('update_private_key_tag', tagged, { apiKey }), 403, setting)
    const renamed = { walletId, walletName: randomUUID() }
    expectRefused(await inChild.submit('update_wallet', renamed, { apiKey }), 403, setting)
  })

  const refusals: readonly (readonly [how: string, refuse: () => Promise<unknown>])[] = [
    ['refuse it', () => enable(closed)],
    ['refuse it, because the proxy was disabled', () => done('disable_auth_proxy', {})],
  ]
  test.each(refusals)(
    'a session ends itself, with the links that it made, while the settings %s',
    async (_, refuse) => {
      await enable()
      const [apiKey, link] = [await sessionOf(ofRoot), generateApiKey()]
      await inChild.done('create_passkey_link', { userId: rootUserId, publicKey: link.publicKey }, { apiKey })
      await refuse()
      await inChild.done('delete_api_keys', await keyOf(apiKey, rootUserId), { apiKey })
      expect((await inChild.query('whoami', {}, { apiKey })).status).toBe(401)
      const used = { userId: rootUserId, authenticator: newAuthenticator() }
      expectRefused(await inChild.submit('recover_user', used, { apiKey: link }), 401, 'this link has ended')
    },
  )

  test.each(refusals)(
    'the approvals of a session end when it ends itself, while the settings %s',
    async (_, refuse) => {
      await enable()
      const ada = await newMailUser()
      const [second, apiKey] = [await organization.anotherUser(randomUUID()), await sessionOf(ada.contact)]
      const userIds = [organization.rootUserId, ada.userId, second.userId]
      await done('update_root_quorum', { threshold: 1, userIds })
      await refuse()
      await done('update_root_quorum', { threshold: 2, userIds })
      const { fingerprint } = (await submit('create_wallet', { walletName: randomUUID(), accounts: [] }, { apiKey }))
        .body.activity
      await done('delete_api_keys', await keyOf(apiKey, ada.userId, organization), { apiKey })
      const approved = await submit('approve_activity', { fingerprint }, { apiKey: second.apiKey })
      expect(approved.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
      const lower = await submit('update_root_quorum', { threshold: 1, userIds: [organization.rootUserId] })
      await done('approve_activity', { fingerprint: lower.body.activity.fingerprint }, { apiKey: second.apiKey })
    },
  )

  test('a session takes no other key away, also beside its own', async () => {
    const [apiKey, other] = [await sessionOf(ofRoot), await sessionOf(ofRoot)]
    const [own, others] = [await keyOf(apiKey, rootUserId), await keyOf(other, rootUserId)]
    for (const apiKeyIds of [others.apiKeyIds, [...own.apiKeyIds, ...others.apiKeyIds]]) {
      const parameters = { userId: rootUserId, apiKeyIds }
      expectRefused(await inChild.submit('delete_api_keys', parameters, { apiKey }), 403, setting)
    }
    const shouted = { userId: rootUserId.toUpperCase(), apiKeyIds: own.apiKeyIds.map((id) => id.toUpperCase()) }
    await inChild.done('delete_api_keys', shouted, { apiKey })
  })

  test('a session does not approve what it may not submit, and may reject it', async () => {
    const [ada, eve] = [await newMailUser(), await newMailUser()]
    const consensus = `approvers.any(user, user.id == '${ada.userId}') && approvers.any(user, user.id == '${eve.userId}')`
    const { policyId } = await done(
      'create_policy',
      newPolicy({ policyName: 'two', effect: 'EFFECT_ALLOW', consensus }),
    )
    const [ofAda, ofEve] = [await sessionOf(ada.contact), generateApiKey()]
    await done('create_api_keys', { userId: eve.userId, apiKeys: [newApiKey({ publicKey: ofEve.publicKey })] })
    const asking = { users: [newUser({ userName: 'third', apiKeys: apiKeys() })] }
    const { activity } = (await submit('create_users', asking, { apiKey: ofEve })).body
    expect(activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    const { fingerprint } = activity
    expectRefused(await submit('approve_activity', { fingerprint }, { apiKey: ofAda }), 403, setting)
    const rejected = await submit('reject_activity', { fingerprint }, { apiKey: ofAda })
    expect(rejected.body.activity.status).toBe('ACTIVITY_STATUS_REJECTED')
    await done('delete_policy', { policyId })
  })

  /** Three users who have to approve together that a user is made: two with keys, one by a session. */
  async function threeApprovers() {
    const [ada, eve, bob] = [await newMailUser(), await newMailUser(), await newMailUser()]
    const consensus = [ada, eve, bob].map(({ userId }) => `approvers.any(user, user.id == '${userId}')`).join(' && ')
    await done('create_policy', newPolicy({ policyName: randomUUID(), effect: 'EFFECT_ALLOW', consensus }))
    const keys = [generateApiKey(), generateApiKey()] as const
    for (const [index, { userId }] of [eve, bob].entries()) {
      const given = { apiKeyName: randomUUID(), publicKey: keys[index]?.publicKey }
      await done('create_api_keys', { userId, apiKeys: [newApiKey(given)] })
    }
    return { ofAda: await sessionOf(ada.contact), ofEve: keys[0], ofBob: keys[1] }
  }
  const changes: readonly (readonly [how: string, change: () => Promise<unknown>, shown: string])[] = [
    ['runs while they allow it', async () => undefined, 'ACTIVITY_STATUS_COMPLETED'],
    ['fails once they refuse it', () => enable(closed), setting],
    ['fails once the proxy is disabled', () => done('disable_auth_proxy', {}), 'was disabled'],
  ]
  test.each(changes)('what a session submitted or approved before, and what waits, %s', async (_, change, shown) => {
    await enable()
    const { ofAda, ofEve, ofBob } = await threeApprovers()
    const approve = async (fingerprint: string, apiKey: ApiKeyPair) =>
      (await submit('approve_activity', { fingerprint }, { apiKey })).body.activity
    const waiting: string[] = []
    for (const [submitter, approver] of [[ofAda, ofEve] as const, [ofEve, ofAda] as const]) {
      const users = [newUser({ userName: randomUUID(), apiKeys: apiKeys() })]
      const { fingerprint } = (await submit('create_users', { users }, { apiKey: submitter })).body.activity
      expect((await approve(fingerprint, approver)).status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
      waiting.push(fingerprint)
    }
    await change()
    for (const fingerprint of waiting) {
      const { status, failure } = await approve(fingerprint, ofBob)
      expect(`${status} ${failure?.message}`).toContain(shown)
    }
  })

  test('also for sessions that are open, and once the proxy is disabled', async () => {
    await enable()
    const apiKey = await sessionOf(ofRoot)
    const key = () => ({ userId: rootUserId, apiKeys: apiKeys() })
    await inChild.done('create_api_keys', key(), { apiKey })
    await enable(closed)
    expectRefused(await inChild.submit('create_api_keys', key(), { apiKey }), 403, setting)
    await done('disable_auth_proxy', {})
    expectRefused(await inChild.submit('create_api_keys', key(), { apiKey }), 403, 'was disabled')
    await inChild.done('create_wallet', { walletName: randomUUID(), accounts: [] }, { apiKey })
  })

  test('a session sees no token that another credential of its user asked for, and that credential sees it', async () => {
    const tokens = loginsBy({ done: inChild.done, signer, passcodeSentTo: (contact) => passcodeFor(server, contact) })
    const flow = await tokens.startFlow('anybody@example.net')
    const code = await passcodeFor(server, flow.contact)
    const encryptedOtpBundle = await tokens.encrypted(flow, code, generateApiKey())
    const { activity } = (await inChild.submit('verify_otp', { otpId: flow.otpId, encryptedOtpBundle })).body
    const apiKey = await sessionOf(ofRoot)
    const seenBy = async (ask: { apiKey?: ApiKeyPair }) =>
      (await inChild.found('get_activity', { activityId: activity.id }, ask)).activity.result.verifyOtpResult
    expect(activity.result.verifyOtpResult.verificationToken).not.toBe('')
    expect((await seenBy({ apiKey })).verificationToken).toBe('')
    expect(await seenBy({})).toEqual(activity.result.verifyOtpResult)
    await enable()
    expect(await seenBy({ apiKey })).toEqual(activity.result.verifyOtpResult)
  })

  test('a session that a session has opened is one too', async () => {
    await enable()
    const [apiKey, next] = [await sessionOf(ofRoot), generateApiKey()]
    await inChild.done('stamp_login', { publicKey: next.publicKey }, { apiKey })
    await enable(closed)
    const parameters = { userId: rootUserId, apiKeys: apiKeys() }
    expectRefused(await inChild.submit('create_api_keys', parameters, { apiKey: next }), 403, setting)
  })

  test('and so is one by a token of the proxy that somebody stamps', async () => {
    const { contact, userId } = await newMailUser()
    const { sessionKey, parameters } = await loginFor(contact)
    await done('otp_login', parameters)
    const added = { userId, apiKeys: apiKeys() }
    expectRefused(await submit('create_api_keys', added, { apiKey: sessionKey }), 403, setting)
  })
})

describe('where the settings refuse it, a token', () => {
  async function tokenOfProxy() {
    const { contact, userId } = await newMailUser()
    const key = generateApiKey()
    return { userId, key, token: await tokenFor(contact, key) }
  }
  const identity = () => {
    const key = generateApiKey()
    return { key, nonce: createHash('sha256').update(key.publicKey).digest('hex') }
  }

  test('of a code stamps no credential, and opens a session of the time that the settings say', async () => {
    const { userId, key, token } = await tokenOfProxy()
    expectRefused(await attested('create_api_keys', { userId, apiKeys: apiKeys() }, { token, key }), 403, setting)
    const session = generateApiKey()
    const asks = { publicKey: session.publicKey, expirationSeconds: '2592000' }
    const { status, body } = await attested('stamp_login', asks, { token, key })
    expect(status, JSON.stringify(body)).toBe(200)
    const { exp } = claimsOf(body.activity.result.stampLoginResult.session)
    expect(exp).toBeLessThanOrEqual(clock.nowMs / 1_000 + 900)
    const added = { userId, apiKeys: apiKeys() }
    expectRefused(await submit('create_api_keys', added, { apiKey: session }), 403, setting)
  })

  test('of an issuer does neither, with the proxy or without it', async () => {
    const oauthProviders = [{ providerName: 'Issuer', oidcToken: idToken({ sub: 'ada' }) }]
    const [userId] = (await done('create_users', { users: [newUser({ userName: 'by issuer', oauthProviders })] }))
      .userIds
    const added = () => ({ userId, apiKeys: apiKeys() })
    const { key, nonce } = identity()
    const by = { token: idToken({ sub: 'ada', nonce }), key, by: 'OIDC' } as const
    expectRefused(await attested('create_api_keys', added(), by), 403, setting)
    const [session, proxied] = [generateApiKey(), identity()]
    const { status } = await attested('stamp_login', { publicKey: session.publicKey }, by)
    expect(status).toBe(200)
    const login = { oidcToken: idToken({ sub: 'ada', nonce: proxied.nonce }), publicKey: proxied.key.publicKey }
    await asked('oauth_login', login)
    for (const apiKey of [session, proxied.key]) {
      expectRefused(await submit('create_api_keys', added(), { apiKey }), 403, setting)
    }
  })

  test('of an issuer does neither once the proxy is disabled, until one that allows it was enabled', async () => {
    const sub = randomUUID()
    const oauthProviders = [{ providerName: 'Issuer', oidcToken: idToken({ sub }) }]
    const [userId] = (await done('create_users', { users: [newUser({ userName: sub, oauthProviders })] })).userIds
    const by = () => {
      const { key, nonce } = identity()
      return { token: idToken({ sub, nonce }), key, by: 'OIDC' } as const
    }
    const added = () => ({ userId, apiKeys: apiKeys() })
    await done('disable_auth_proxy', {})
    expectRefused(await attested('create_api_keys', added(), by()), 403, 'was disabled')
    const session = generateApiKey()
    const asks = { publicKey: session.publicKey, expirationSeconds: '2592000' }
    const { body } = await attested('stamp_login', asks, by())
    const { exp } = claimsOf(body.activity.result.stampLoginResult.session)
    expect(exp).toBeLessThanOrEqual(clock.nowMs / 1_000 + 900)
    expectRefused(await submit('create_api_keys', added(), { apiKey: session }), 403, 'was disabled')
    await enable()
    expect((await attested('create_api_keys', added(), by())).status).toBe(200)
    await done('disable_auth_proxy', {})
    expect((await attested('create_api_keys', added(), by())).status).toBe(200)
  })

  test('of an issuer has opened a session that stays free if there was no proxy then, until its identity is gone', async () => {
    const sub = randomUUID()
    const oauthProviders = [{ providerName: 'Issuer', oidcToken: idToken({ sub }) }]
    const [userId] = (await done('create_users', { users: [newUser({ userName: sub, oauthProviders })] })).userIds
    await enable()
    await done('disable_auth_proxy', {})
    const [session, { key, nonce }] = [generateApiKey(), identity()]
    const by = { token: idToken({ sub, nonce }), key, by: 'OIDC' } as const
    const { body } = await attested('stamp_login', { publicKey: session.publicKey }, by)
    expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    await enable(closed)
    await done('create_api_keys', { userId, apiKeys: apiKeys() }, { apiKey: session })
    const { oauthProviders: found } = await organization.found('get_oauth_providers', { userId })
    await done('delete_oauth_providers', { userId, providerIds: [found[0].providerId] })
    expect((await organization.query('whoami', {}, { apiKey: session })).status).toBe(401)
  })

  test('of the proxy logs nobody in once that is disabled', async () => {
    const { key, token } = await tokenOfProxy()
    await done('disable_auth_proxy', {})
    const { publicKey } = generateApiKey()
    expectRefused(await attested('stamp_login', { publicKey }, { token, key }), 401, 'auth proxy')
  })
})

describe('where the settings refuse it, a step of an MFA policy', () => {
  const oauth = 'AUTHENTICATION_TYPE_OAUTH'
  const mail = 'AUTHENTICATION_TYPE_EMAIL_OTP'
  const passkeyType = 'AUTHENTICATION_TYPE_PASSKEY'

  async function userWith(...steps: readonly string[]) {
    const [sub, contact, passkey] = [randomUUID(), `${randomUUID()}@example.org`, newPasskey('ES256')]
    const user = newUser({
      ...{ userName: sub, userEmail: contact, authenticators: [newAuthenticator({ passkey })] },
      oauthProviders: [{ providerName: 'Issuer', oidcToken: idToken({ sub }) }],
    })
    const [userId] = (await done('create_users', { users: [user] })).userIds
    const policy = newMfaPolicy({
      condition: "activity.resource == 'CREDENTIAL'",
      requiredAuthenticationMethods: steps.map((type) => ({ any: [{ type }] })),
    })
    await done('create_mfa_policy', { userId, ...policy })
    const byIssuer = () => {
      const key = generateApiKey()
      const nonce = createHash('sha256').update(key.publicKey).digest('hex')
      return { token: idToken({ sub, nonce }), key, by: 'OIDC' } as const
    }
    const byCode = async () => {
      const key = generateApiKey()
      return { token: await tokenFor(contact, key), key }
    }
    return { userId, passkey, contact, byIssuer, byCode }
  }
  const added = (userId: string) => ({ userId, authenticators: [newAuthenticator()] })

  test('is taken by a token after a passkey, and by a session', async () => {
    const { userId, passkey, contact, byIssuer, byCode } = await userWith(
      passkeyType,
      oauth,
      mail,
      'AUTHENTICATION_TYPE_SESSION',
    )
    const { activity } = (await submit('create_authenticators', added(userId), { passkey })).body
    expect(activity.status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
    const { fingerprint } = activity
    for (const by of [byIssuer(), await byCode()]) {
      const { status, body } = await attested('approve_activity', { fingerprint }, by)
      expect(status, JSON.stringify(body)).toBe(200)
    }
    const last = await submit('approve_activity', { fingerprint }, { apiKey: await sessionOf(contact) })
    expect(last.body.activity?.status, JSON.stringify(last.body)).toBe('ACTIVITY_STATUS_COMPLETED')
  })

  test('lets a session end itself once the step is taken', async () => {
    const { userId, passkey, contact } = await userWith(passkeyType)
    const apiKey = await sessionOf(contact)
    const { activity } = (await submit('delete_api_keys', await keyOf(apiKey, userId, organization), { apiKey })).body
    expect(activity.status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
    const { body } = await submit('approve_activity', { fingerprint: activity.fingerprint }, { passkey })
    expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  })

  test('by tokens alone is none', async () => {
    const { userId, byIssuer, byCode } = await userWith(oauth, mail)
    const consensus = `approvers.any(user, user.id == '${userId}')`
    await done('create_policy', newPolicy({ policyName: randomUUID(), effect: 'EFFECT_ALLOW', consensus }))
    const { apiKey } = await organization.anotherUser(randomUUID())
    const { activity } = (await submit('create_authenticators', added(userId), { apiKey })).body
    expect(activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    const { fingerprint } = activity
    for (const by of [byIssuer(), await byCode()]) {
      expectRefused(await attested('approve_activity', { fingerprint }, by), 403, setting)
    }
  })
})

test('nor is a session bound that a backend opens by a token of an issuer: it answers for its logins itself', async () => {
  const sub = randomUUID()
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: idToken({ sub }) }]
  const [userId] = (await done('create_users', { users: [newUser({ userName: sub, oauthProviders })] })).userIds
  const key = generateApiKey()
  const nonce = createHash('sha256').update(key.publicKey).digest('hex')
  await done('oauth_login', { oidcToken: idToken({ sub, nonce }), publicKey: key.publicKey })
  await done('create_api_keys', { userId, apiKeys: apiKeys() }, { apiKey: key })
})

test('nobody else is bound: neither a passkey, nor a session that it opened, nor the requests of the proxy', async () => {
  const key = generateApiKey()
  await inChild.done('stamp_login', { publicKey: key.publicKey })
  await inChild.done('create_api_keys', { userId: rootUserId, apiKeys: apiKeys() }, { apiKey: key })
  expect((await ask('otp_init_v2', { otpType: 'OTP_TYPE_EMAIL', contact: 'any@example.org' })).status).toBe(200)
})
