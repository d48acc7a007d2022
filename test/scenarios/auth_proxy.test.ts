import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { proxyOf, proxyOrigin } from '../support/auth_proxy.ts'
import { newTarget } from '../support/bundles.ts'
import { claimsOf, loginsBy, loginsOf, messagesOf, passcodeFor } from '../support/logins.ts'
import {
  expectRefused,
  newPolicy,
  newUser,
  organizationOf,
  type Parameters,
  startOrganization,
} from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** Requests without a stamp, which the root quorum of an organization has allowed. */

const organization = await startOrganization()
const { server, clock, organizationId, done, submit, found } = organization
const origin = proxyOrigin
const everything = [
  ...['account', 'oauth_login', 'otp_init', 'otp_init_v2', 'otp_login', 'otp_login_v2'],
  ...['otp_verify', 'otp_verify_v2', 'wallet_kit_config'],
]
const given = (more: Parameters = {}) => ({
  operations: everything,
  allowedOrigins: [origin],
  appName: 'Acme',
  ...more,
})
await done('enable_auth_proxy', given())

const { ask, asked, throughProxy, stampLogin } = proxyOf(organization)

const signer = (await server.vault.publishedKeys()).tlsFetcherSigning?.uncompressed ?? ''
const passcodeSentTo = (contact: string) => passcodeFor(server, contact)
const { newMailUser, startFlow, encrypted, tokenFor, loginFor } = loginsBy({
  done: throughProxy,
  signer,
  passcodeSentTo,
})

/** Runs with other settings of the proxy, and puts the former ones back. */
async function withProxy(more: Parameters, run: () => Promise<void>): Promise<void> {
  await done('update_auth_proxy_config', given(more))
  await run()
  await done('enable_auth_proxy', given())
}

describe('a person without a credential', () => {
  test('logs in by a code in a mail', async () => {
    const { userId, contact } = await newMailUser()
    const { sessionKey, parameters } = await loginFor(contact)
    const answer = await asked('otp_login_v2', parameters)
    expect(Object.keys(answer)).toEqual(['session'])
    expect(claimsOf(answer.session)).toMatchObject({ user_id: userId, organization_id: organizationId })
    expect(await found('whoami', {}, { apiKey: sessionKey })).toMatchObject({ userId })
  })

  test('logs in by the older operations too', async () => {
    const { userId, contact } = await newMailUser()
    const { otpId, ...others } = await asked('otp_init', { otpType: 'OTP_TYPE_EMAIL', contact })
    expect(others).toEqual({})
    const { verificationToken } = await asked('otp_verify', { otpId, otpCode: await passcodeSentTo(contact) })
    const sessionKey = generateApiKey()
    await asked('otp_login', { verificationToken, publicKey: sessionKey.publicKey })
    expect(await found('whoami', {}, { apiKey: sessionKey })).toMatchObject({ userId })
  })

  test('of a sub-organization logs in by the proxy of the parent, which finds the account', async () => {
    const child = await organization.subOrganization()
    const inChild = organizationOf(organization, child)
    const contact = 'end-user@example.org'
    const { verificationToken: proof } = await (await loginsOf(organization))
      .tokenFor(contact, generateApiKey())
      .then((verificationToken) => ({ verificationToken }))
    await inChild.done('update_user_email', { userId: child.rootUserId, userEmail: contact, verificationToken: proof })
    const { sessionKey, parameters } = await loginFor(contact)
    const { verificationToken } = parameters
    expect(await asked('account', { filterType: 'EMAIL', filterValue: contact, verificationToken })).toEqual({
      organizationId: child.organizationId,
    })
    const { session } = await asked('otp_login_v2', parameters)
    expect(claimsOf(session)).toMatchObject({ organization_id: child.organizationId, user_id: child.rootUserId })
    expect(await inChild.found('whoami', {}, { apiKey: sessionKey })).toMatchObject({ userId: child.rootUserId })
    const again = await loginFor(contact)
    await asked('otp_login_v2', { ...again.parameters, organizationId: child.organizationId })
  })

  test('whose mailbox a user of the parent has too is refused, and logs in with the id of the organization', async () => {
    const child = organizationOf(organization, await organization.subOrganization())
    const contact = 'shared@example.org'
    const verificationToken = await tokenFor(contact, generateApiKey())
    await child.done('update_user_email', { userId: child.rootUserId, userEmail: contact, verificationToken })
    const [userId] = (await done('create_users', { users: [newUser({ userEmail: 'Shared@example.org' })] })).userIds
    const { parameters } = await loginFor(contact)
    expectRefused(await ask('otp_login_v2', parameters), 401, 'name the organization in organizationId')
    const account = { filterType: 'EMAIL', filterValue: contact, verificationToken: parameters.verificationToken }
    expectRefused(await ask('account', account), 401, 'more than one user')
    const { session } = await asked('otp_login_v2', { ...parameters, organizationId: child.organizationId })
    expect(claimsOf(session)).toMatchObject({ organization_id: child.organizationId, user_id: child.rootUserId })
    const again = await loginFor(contact)
    const ofParent = await asked('otp_login_v2', { ...again.parameters, organizationId })
    expect(claimsOf(ofParent.session)).toMatchObject({ organization_id: organizationId, user_id: userId })
  })

  test('is found in no sub-organization by an address that nobody has verified there', async () => {
    const contact = 'claimed@example.org'
    const child = organizationOf(organization, await organization.subOrganization())
    await child.done('update_user_email', { userId: child.rootUserId, userEmail: contact })
    const { parameters } = await loginFor(contact)
    const { verificationToken } = parameters
    expect(await asked('account', { filterType: 'EMAIL', filterValue: contact, verificationToken })).toEqual({})
    expectRefused(await ask('otp_login_v2', parameters), 404, 'nobody here has the contact')
    const named = { ...parameters, organizationId: child.organizationId }
    expectRefused(await ask('otp_login_v2', named), 404, 'nobody here has the contact')
  })

  test('learns how to log in, and gets a session and a code as the organization has chosen', async () => {
    const oauthProviders = [
      {
        providerName: 'Google',
        issuer: 'https://accounts.google.com',
        clientId: 'the client',
        authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
      },
    ]
    const chosen = { sessionExpirationSeconds: '120', otpLength: 6, otpAlphanumeric: false, oauthProviders }
    await withProxy(chosen, async () => {
      expect(await asked('wallet_kit_config', {})).toEqual({
        enabledProviders: ['passkey', 'wallet', 'email', 'sms', 'google'],
        sessionExpirationSeconds: '120',
        organizationId,
        oauthClientIds: { google: 'the client' },
        otpAlphanumeric: false,
        otpLength: '6',
        appName: 'Acme',
        oauthProviders,
      })
      const { contact } = await newMailUser()
      const { sessionKey, parameters } = await loginFor(contact)
      expect(await passcodeSentTo(contact)).toMatch(/^[0-9]{6}$/)
      await asked('otp_login_v2', parameters)
      clock.nowMs += 121_000
      const late = await organization.query('whoami', {}, { apiKey: sessionKey })
      expectRefused(late, 401, 'expired api key publicKey')
    })
  })
})

describe('an IP allowlist', () => {
  const [office, elsewhere] = [{ sourceAddress: '203.0.113.7' }, { sourceAddress: '192.0.2.7' }]
  const officeOnly = { rules: [{ cidr: '203.0.113.0/24' }] }

  test('of the organization in which a session opens is asked, and nothing is used up', async () => {
    const { contact } = await newMailUser()
    await done('set_ip_allowlist', officeOnly, office)
    try {
      const { parameters } = await loginFor(contact)
      const blocked = 'request not authorized: 192.0.2.7 is not in the IP allowlist of organization'
      expectRefused(await ask('otp_login_v2', parameters, elsewhere), 403, blocked)
      expectRefused(await ask('otp_login_v2', parameters), 403, 'an unknown address is not in the IP allowlist')
      await asked('otp_login_v2', parameters, office)
    } finally {
      await done('remove_ip_allowlist', {}, office)
    }
  })

  test('of the parent is not asked for a session in a sub-organization, but the list of that one', async () => {
    const contact = 'far-away@example.org'
    const child = await organization.subOrganization()
    const inChild = organizationOf(organization, child)
    const { tokenFor: tokenOfParent } = await loginsOf(organization)
    const verificationToken = await tokenOfParent(contact, generateApiKey())
    await inChild.done('update_user_email', { userId: child.rootUserId, userEmail: contact, verificationToken })
    await done('set_ip_allowlist', officeOnly, office)
    try {
      await asked('otp_login_v2', (await loginFor(contact)).parameters, elsewhere)
      await inChild.done('set_ip_allowlist', officeOnly, office)
      const { parameters } = await loginFor(contact)
      expectRefused(await ask('otp_login_v2', parameters, elsewhere), 403, child.organizationId)
      await asked('otp_login_v2', parameters, office)
    } finally {
      await done('remove_ip_allowlist', {}, office)
    }
  })

  test('of an organization in which the stranger has no account is not asked', async () => {
    const other = organizationOf(
      organization,
      await server.createOrganization().then((made) => ({ ...made, rootUserId: made.userId })),
    )
    const child = organizationOf(organization, await organization.subOrganization())
    const { parameters } = await loginFor('stranger@example.org')
    const answerOf = (id: string) => ask('otp_login_v2', { ...parameters, organizationId: id }, elsewhere)
    const answer = await answerOf(randomUUID())
    expectRefused(answer, 404, 'nobody here has the contact')
    for (const { organizationId: named, done: doneThere } of [other, child, organization]) {
      expect(await answerOf(named)).toEqual(answer)
      await doneThere('set_ip_allowlist', officeOnly, office)
      expect(await answerOf(named)).toEqual(answer)
      await doneThere('remove_ip_allowlist', {}, office)
    }
  })
})

describe('an activity of the proxy', () => {
  test('has no vote, says that nobody stamped it, and shows its token to nobody', async () => {
    const { contact } = await newMailUser()
    const { parameters } = await loginFor(contact)
    await asked('otp_login_v2', parameters)
    const { activities } = await found('list_activities', { paginationOptions: { limit: '3' } })
    expect(activities.map(({ type, votes, status }: Parameters) => [type, votes, status])).toEqual([
      ['ACTIVITY_TYPE_OTP_LOGIN_V2', [], 'ACTIVITY_STATUS_COMPLETED'],
      ['ACTIVITY_TYPE_VERIFY_OTP_V2', [], 'ACTIVITY_STATUS_COMPLETED'],
      ['ACTIVITY_TYPE_INIT_OTP_V3', [], 'ACTIVITY_STATUS_COMPLETED'],
    ])
    expect(activities[1].result.verifyOtpResult).toEqual({ verificationToken: '' })
    for (const { id } of activities) {
      const explained = JSON.stringify(await found('explain_activity', { activityId: id }))
      expect(explained).toContain('{"label":"requestedBy","value":{"kind":"code","code":"authProxy"}}')
      expect(explained).toContain('{"label":"credential","value":{"kind":"code","code":"unstamped"}}')
      expect(explained).toContain('{"label":"decides","value":{"kind":"code","code":"authProxy"}}')
    }
  })

  test('is allowed in a simulation of the past as it was, and a draft that denies shows', async () => {
    await asked('otp_init_v2', { otpType: 'OTP_TYPE_EMAIL', contact: 'somebody@example.org' })
    const policy = { effect: 'EFFECT_DENY', condition: "activity.resource == 'OTP'" }
    const without = await found('simulate', {
      past: { limit: '1' },
      policy: { ...policy, condition: "activity.resource == 'WALLET'" },
    })
    expect(without.simulations[0].decision).toBe('ALLOW')
    const denied = await found('simulate', { past: { limit: '1' }, policy })
    expect(denied.simulations[0].decision).toBe('DENY')
  })

  test('is one for a request that the service sends twice, and two for the same bytes', async () => {
    const body = { otpType: 'OTP_TYPE_EMAIL', contact: 'twice@example.org' }
    const same = { requestId: randomUUID(), timestampMs: clock.nowMs }
    const first = await asked('otp_init_v2', body, same)
    expect(await asked('otp_init_v2', body, same)).toEqual(first)
    expect((await asked('otp_init_v2', body)).otpId).not.toBe(first.otpId)
    const mails = (await messagesOf(server)).filter(({ to }) => to === body.contact)
    expect(mails).toHaveLength(2)
  })
})

describe('it is refused', () => {
  const body = { otpType: 'OTP_TYPE_EMAIL', contact: 'nobody@example.org' }

  test('with the id of an organization that has no proxy, and with none', async () => {
    const other = await server.createOrganization()
    for (const configId of [other.organizationId, randomUUID(), 'no id', '']) {
      expectRefused(await ask('otp_init_v2', body, { configId }), 404, 'X-Auth-Proxy-Config-ID')
    }
    expect((await messagesOf(server)).some(({ to }) => to === body.contact)).toBe(false)
  })

  test('for an operation that was not allowed, whatever else is', async () => {
    await withProxy({ operations: ['otp_verify_v2'] }, async () => {
      expectRefused(await ask('otp_init_v2', body), 403, 'does not allow otp_init_v2')
      expectRefused(await ask('wallet_kit_config', {}), 403, 'does not allow wallet_kit_config')
    })
  })

  test('on any path but those of the proxy', async () => {
    const stamped = {
      type: 'ACTIVITY_TYPE_CREATE_WALLET',
      timestampMs: String(clock.nowMs),
      organizationId,
      parameters: { walletName: 'x', accounts: [] },
    }
    for (const path of [
      '/public/v1/submit/create_wallet',
      '/public/v1/submit/init_otp',
      '/v1/signup_v2',
      '/v1/otp_init_v2/',
    ]) {
      expectRefused(await ask('', stamped, { path }), 404)
    }
  })

  test('as a stamped request that claims to be one', async () => {
    clock.nowMs += 1
    const claimed = {
      type: 'ACTIVITY_TYPE_INIT_OTP_V3',
      timestampMs: String(clock.nowMs),
      organizationId,
      parameters: { ...body, appName: 'Acme' },
      authProxy: { operation: 'otp_init_v2', requestId: randomUUID() },
    }
    expectRefused(await server.post('/public/v1/submit/init_otp', claimed, organization.rootKey), 400, 'authProxy')
  })

  test('from an origin that was not allowed, and from no page unless any origin is', async () => {
    for (const other of [
      'https://evil.example.com',
      'http://app.example.com',
      'https://app.example.com:8443',
      'null',
      undefined,
    ]) {
      expectRefused(await ask('otp_init_v2', body, { origin: other }), 403, 'does not allow')
    }
    await withProxy({ allowedOrigins: ['*'] }, async () => {
      await asked('wallet_kit_config', {}, { origin: undefined })
      await asked('wallet_kit_config', {}, { origin: 'https://evil.example.com' })
    })
  })

  test('with a stamp, with a large body, and with fields that strangers may not choose', async () => {
    expectRefused(await ask('otp_init_v2', body, { stamped: true }), 400, 'takes no stamp')
    expectRefused(await ask('otp_init_v2', { ...body, contact: 'x'.repeat(40_000) }), 400, 'at most 32768 bytes')
    for (const more of [
      { emailCustomization: { magicLinkTemplate: 'https://evil.example/%s' } },
      { appName: 'Evil' },
      { expirationSeconds: '600' },
      { userIdentifier: 'other' },
    ]) {
      expectRefused(await ask('otp_init_v2', { ...body, ...more }), 400, Object.keys(more)[0] ?? '')
    }
    const { parameters } = await loginFor((await newMailUser()).contact)
    expectRefused(await ask('otp_login_v2', { ...parameters, expirationSeconds: '2592000' }), 400, 'expirationSeconds')
    for (const text of ['', '[]', '{', '"text"', '{"otpType":1}', '{"__proto__":{}}']) {
      expectRefused(await ask('otp_init_v2', text), 400)
    }
  })

  test('once it is disabled between two steps of a login', async () => {
    const { contact } = await newMailUser()
    const { parameters } = await loginFor(contact)
    const flow = await startFlow((await newMailUser()).contact)
    await done('disable_auth_proxy', {})
    expectRefused(await ask('otp_login_v2', parameters), 404)
    const encryptedOtpBundle = await encrypted(flow, await passcodeSentTo(flow.contact), generateApiKey())
    expectRefused(await ask('otp_verify_v2', { otpId: flow.otpId, encryptedOtpBundle }), 404)
    expectRefused(await submit('disable_auth_proxy', {}), 404, 'enable_auth_proxy')
    expect(await found('get_auth_proxy_config')).toEqual({})
    await done('enable_auth_proxy', given())
    expectRefused(await ask('otp_login_v2', parameters), 400, 'the auth proxy that gave out its token was disabled')
    await asked('otp_login_v2', (await loginFor(contact)).parameters)
  })

  test('with a stamp by a token of the proxy, once that is disabled', async () => {
    const { contact } = await newMailUser()
    const key = generateApiKey()
    const ofProxy = await tokenFor(contact, key)
    await done('disable_auth_proxy', {})
    expectRefused(await stampLogin(ofProxy, key), 401, 'the auth proxy that gave out its token was disabled')
    const ofBackend = await (await loginsOf(organization)).tokenFor(contact, key)
    expect((await stampLogin(ofBackend, key)).status).toBe(200)
    await done('enable_auth_proxy', given())
    expectRefused(await stampLogin(ofProxy, key), 401, 'the auth proxy that gave out its token was disabled')
    expect((await stampLogin(await tokenFor(contact, key), key)).status).toBe(200)
  })

  test('when a policy of the organization denies it', async () => {
    const deny = newPolicy({ policyName: 'no codes', condition: "activity.type == 'ACTIVITY_TYPE_INIT_OTP_V3'" })
    const { policyId } = await done('create_policy', deny)
    expectRefused(await ask('otp_init_v2', body), 403)
    await done('delete_policy', { policyId })
    await asked('otp_init_v2', { ...body, contact: 'allowed@example.org' })
  })

  test('when passcodes by mail are switched off', async () => {
    await done('remove_organization_feature', { name: 'FEATURE_NAME_OTP_EMAIL_AUTH' })
    expectRefused(await ask('otp_init_v2', body), 403, 'FEATURE_NAME_OTP_EMAIL_AUTH')
    expect((await asked('wallet_kit_config', {})).enabledProviders).toEqual(['passkey', 'wallet', 'sms'])
    await done('set_organization_feature', { name: 'FEATURE_NAME_OTP_EMAIL_AUTH' })
  })
})

describe('a stranger', () => {
  test('has three guesses at a code, and three codes for a contact', async () => {
    const { contact } = await newMailUser()
    const flow = await startFlow(contact)
    const right = await passcodeSentTo(contact)
    const tryCode = async (code: string) =>
      ask('otp_verify_v2', { otpId: flow.otpId, encryptedOtpBundle: await encrypted(flow, code, generateApiKey()) })
    for (const code of ['WRONG1', 'WRONG2', 'WRONG3']) expectRefused(await tryCode(code), 400, 'Invalid OTP code')
    expectRefused(await tryCode(right), 400, 'Invalid OTP code')
    for (const _ of [2, 3]) await startFlow(contact)
    expectRefused(await ask('otp_init_v2', { otpType: 'OTP_TYPE_EMAIL', contact }), 400, 'Max number of OTPs')
  })

  test('uses up no codes that a backend may send, and no recoveries', async () => {
    const { userId, contact } = await newMailUser()
    for (const _ of [1, 2, 3]) await startFlow(contact)
    expectRefused(await ask('otp_init_v2', { otpType: 'OTP_TYPE_EMAIL', contact }), 400, 'Max number of OTPs')
    await done('init_otp', { otpType: 'OTP_TYPE_EMAIL', contact, appName: 'Acme' })
    const { targetPublicKey } = newTarget()
    const recovery = { email: contact, targetPublicKey, emailCustomization: { appName: 'Acme' } }
    expect(await done('init_user_email_recovery', recovery)).toEqual({ userId })
  })

  test('cannot send a verification again, nor log in with the token of another', async () => {
    const { contact } = await newMailUser()
    const flow = await startFlow(contact)
    const [key, thief] = [generateApiKey(), generateApiKey()]
    const body = { otpId: flow.otpId, encryptedOtpBundle: await encrypted(flow, await passcodeSentTo(contact), key) }
    const { verificationToken } = await asked('otp_verify_v2', body)
    expectRefused(await ask('otp_verify_v2', body), 400, 'Invalid OTP code')
    const { parameters } = await loginFor((await newMailUser()).contact)
    const stolen = { ...parameters, verificationToken, publicKey: thief.publicKey }
    expectRefused(await ask('otp_login_v2', stolen), 400, 'clientSignature')
  })

  test('learns of no account without a proof of the contact', async () => {
    const { contact } = await newMailUser()
    const other = await tokenFor('other@example.org', generateApiKey())
    const asks = { filterType: 'EMAIL', filterValue: contact }
    expectRefused(await ask('account', asks), 400, 'verificationToken')
    expectRefused(await ask('account', { ...asks, verificationToken: other }), 400, 'the contact of the verification')
    expectRefused(await ask('account', { ...asks, verificationToken: 'a.b.c' }), 400)
    expectRefused(await ask('account', { filterType: 'NAME', filterValue: 'root' }), 400, 'filterType')
    expect(await asked('otp_init_v2', { otpType: 'OTP_TYPE_EMAIL', contact: 'unknown@example.org' })).toMatchObject({
      otpId: expect.any(String),
    })
  })

  test('does not get into another organization with a token, or its id', async () => {
    const other = organizationOf(
      organization,
      await server.createOrganization().then((made) => ({ ...made, rootUserId: made.userId })),
    )
    await other.done('enable_auth_proxy', given())
    const contact = 'both@example.org'
    await other.done('create_users', { users: [newUser({ userEmail: contact })] })
    await done('create_users', { users: [newUser({ userEmail: contact })] })
    const { parameters } = await loginFor(contact)
    const ofOther = { configId: other.organizationId }
    expectRefused(await ask('otp_login_v2', parameters, ofOther), 400, 'issued by another organization')
    expectRefused(await ask('otp_login_v2', { ...parameters, organizationId }, ofOther), 400, 'organization')
    const named = { ...parameters, organizationId: other.organizationId }
    expectRefused(await ask('otp_login_v2', named), 404, 'nobody here has the contact')
    await asked('otp_login_v2', parameters)
  })
})
