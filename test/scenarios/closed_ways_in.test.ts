import { createHash, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { proxyOf, proxyOrigin } from '../support/auth_proxy.ts'
import { clientSignatureOf, loginsBy, loginsOf, passcodeFor } from '../support/logins.ts'
import { type Ask, newApiKey, newAuthenticator, newMfaPolicy, newUser } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { newPasskey } from '../support/passkeys.ts'
import { recover } from '../support/recovery.ts'
import { generateApiKey } from '../support/stamping.ts'

/** A request that waits for a vote or a step fails if its way in was closed meanwhile. */

const organization = await startOrganizationWithIssuer()
const { server, clock, done, submit, idToken } = organization
const { attested, throughProxy } = proxyOf(organization)
const given = {
  operations: ['otp_init_v2', 'otp_verify_v2', 'otp_login_v2'],
  allowedOrigins: [proxyOrigin],
  appName: 'Acme',
}
const enable = () => done('enable_auth_proxy', given)
await enable()
const signer = (await server.vault.publishedKeys()).tlsFetcherSigning?.uncompressed ?? ''
const sources = {
  proxy: loginsBy({ done: throughProxy, signer, passcodeSentTo: (contact) => passcodeFor(server, contact) }),
  backend: await loginsOf(organization),
}

const [mail, sms, recovery] = ['FEATURE_NAME_OTP_EMAIL_AUTH', 'FEATURE_NAME_SMS_AUTH', 'FEATURE_NAME_EMAIL_RECOVERY']
const switchOff = (name: string | undefined) => done('remove_organization_feature', { name })
const switchOffAndOn = async (name: string | undefined) => {
  await switchOff(name)
  clock.nowMs += 1
  await done('set_organization_feature', { name })
}
const day = 24 * 60 * 60_000

beforeEach(async () => {
  await enable()
  for (const name of [mail, sms, recovery]) await done('set_organization_feature', { name })
})

let count = 0
/** A user with a key, a passkey and the steps that an MFA policy asks of whatever the user does. */
async function userWith(...steps: readonly string[]) {
  count += 1
  const [apiKey, passkey, sub] = [generateApiKey(), newPasskey('ES256'), randomUUID()]
  const [userEmail, userPhoneNumber] = [`user${count}@example.org`, `+1415555${1000 + count}`]
  const user = newUser({
    ...{ userName: sub, userEmail, userPhoneNumber },
    apiKeys: [newApiKey({ apiKeyName: sub, publicKey: apiKey.publicKey })],
    authenticators: [newAuthenticator({ passkey })],
    oauthProviders: [{ providerName: 'Issuer', oidcToken: idToken({ sub }) }],
  })
  const [userId] = (await done('create_users', { users: [user] })).userIds
  const requiredAuthenticationMethods = steps.map((step) => ({ any: [{ type: `AUTHENTICATION_TYPE_${step}` }] }))
  await done('create_mfa_policy', { userId, ...newMfaPolicy({ condition: 'true', requiredAuthenticationMethods }) })
  return { userId, apiKey, passkey, sub, userEmail, userPhoneNumber }
}

const newSession = () => ({ publicKey: generateApiKey().publicKey })

/** Waits for one more step, and says how the request ends once this was taken. */
async function endOf(activity: { fingerprint: string; status: string }, lastStep: Ask): Promise<string> {
  expect(activity.status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
  const { body } = await submit('approve_activity', { fingerprint: activity.fingerprint }, lastStep)
  const { status, failure } = body.activity ?? { status: body.message }
  return [status, failure?.message].join(' ')
}
const completed = 'ACTIVITY_STATUS_COMPLETED'
const failed = (reason: string) => new RegExp(`^ACTIVITY_STATUS_FAILED .*${reason}`)

type Code = { readonly from?: keyof typeof sources; readonly by?: 'mail' | 'sms' }

/** The stamp by a code that the user was sent. */
async function codeOf(
  { userEmail, userPhoneNumber }: { readonly userEmail: string; readonly userPhoneNumber: string },
  { from = 'backend', by = 'mail' }: Code = {},
) {
  const key = generateApiKey()
  const isMail = by === 'mail'
  const start = { otpType: isMail ? 'OTP_TYPE_EMAIL' : 'OTP_TYPE_SMS' }
  return { key, token: await sources[from].tokenFor(isMail ? userEmail : userPhoneNumber, key, start) }
}

describe.each([
  ['whose proxy is still open', { from: 'proxy' }, async () => undefined, completed],
  ['whose proxy was disabled', { from: 'proxy' }, () => done('disable_auth_proxy', {}), failed('was disabled')],
  [
    'whose proxy was disabled and enabled again',
    { from: 'proxy' },
    async () => {
      await done('disable_auth_proxy', {})
      clock.nowMs += 1
      await enable()
    },
    failed('was disabled'),
  ],
  [
    'whose proxy takes codes no more',
    { from: 'proxy' },
    () => done('update_auth_proxy_config', { ...given, operations: ['otp_login_v2'] }),
    failed('takes no codes'),
  ],
  ['of a backend, where the proxy was disabled', {}, () => done('disable_auth_proxy', {}), completed],
  ['by mail, where those were switched off', {}, () => switchOff(mail), failed(`${mail} is switched off`)],
  ['by mail, where those were off meanwhile', {}, () => switchOffAndOn(mail), failed(`${mail} was switched off after`)],
  ['by text message, where those were switched off', { by: 'sms' }, () => switchOff(sms), failed(`${sms} is switched`)],
  ['by text message, where those by mail were switched off', { by: 'sms' }, () => switchOff(mail), completed],
] as readonly (readonly [string, Code, () => Promise<unknown>, string | RegExp])[])(
  'a code %s',
  (_, code, close, end) => {
    const step = code.by === 'sms' ? 'SMS_OTP' : 'EMAIL_OTP'

    test('as the stamp of a login', async () => {
      const user = await userWith(step, 'API_KEY')
      const { body } = await attested('stamp_login', newSession(), await codeOf(user, code))
      await close()
      expect(await endOf(body.activity, { apiKey: user.apiKey })).toMatch(end)
    })

    test('as the token of a login', async () => {
      const backend = await userWith('API_KEY', 'PASSKEY')
      await done('create_policy', {
        ...{ policyName: randomUUID(), effect: 'EFFECT_ALLOW', condition: "activity.kind == 'OTP_LOGIN'", notes: '' },
        consensus: `approvers.any(user, user.id == '${backend.userId}')`,
      })
      const user = await userWith('API_KEY')
      const isMail = code.by !== 'sms'
      const { contact, start } = isMail
        ? { contact: user.userEmail, start: {} }
        : { contact: user.userPhoneNumber, start: { otpType: 'OTP_TYPE_SMS' } }
      const clientKey = generateApiKey()
      const verificationToken = await sources[code.from ?? 'backend'].tokenFor(contact, clientKey, start)
      const session = newSession()
      const clientSignature = clientSignatureOf({ verificationToken, clientKey, ...session })
      const asked = await submit(
        'otp_login',
        { verificationToken, ...session, clientSignature },
        { apiKey: backend.apiKey },
      )
      await close()
      expect(await endOf(asked.body.activity, { passkey: backend.passkey })).toMatch(end)
    })

    test('as a step before another one', async () => {
      const user = await userWith('API_KEY', step, 'PASSKEY')
      const { activity } = (await submit('stamp_login', newSession(), { apiKey: user.apiKey })).body
      const { fingerprint } = activity
      const stepped = await attested('approve_activity', { fingerprint }, await codeOf(user, code))
      await close()
      expect(await endOf(stepped.body.activity, { passkey: user.passkey })).toMatch(end)
    })
  },
)

test.each([
  ['within a day of its issue', 0, completed],
  ['and its token is older than a day', day, failed('older than a day')],
])('a login by an ID token that waits, %s', async (_, waitedMs, end) => {
  const { apiKey, sub } = await userWith('API_KEY')
  const key = generateApiKey()
  const token = idToken({ sub, nonce: createHash('sha256').update(key.publicKey).digest('hex') })
  const { body } = await attested('stamp_login', newSession(), { token, key, by: 'OIDC' })
  clock.nowMs += waitedMs + 120_000
  expect(await endOf(body.activity, { apiKey })).toMatch(end)
})

test('a login by a code that waits for longer than a day', async () => {
  const user = await userWith('API_KEY')
  const { body } = await attested('stamp_login', newSession(), await codeOf(user))
  clock.nowMs += day
  expect(await endOf(body.activity, { apiKey: user.apiKey })).toMatch(failed('older than a day'))
})

test('a recovery by mail, where those were switched off', async () => {
  const { userEmail, apiKey, userId } = await userWith('API_KEY')
  const { recoveryKey } = await recover(organization, { email: userEmail })
  const recovering = { userId, authenticator: newAuthenticator() }
  const { activity } = (await submit('recover_user', recovering, { apiKey: recoveryKey })).body
  await switchOff(recovery)
  expect(await endOf(activity, { apiKey })).toMatch(failed(`${recovery} is switched off`))
})

test('a recovery by mail, where those were off meanwhile', async () => {
  const { userEmail, apiKey, userId } = await userWith('API_KEY')
  const { recoveryKey } = await recover(organization, { email: userEmail })
  const recovering = { userId, authenticator: newAuthenticator() }
  const { activity } = (await submit('recover_user', recovering, { apiKey: recoveryKey })).body
  await switchOffAndOn(recovery)
  expect(await endOf(activity, { apiKey })).toMatch(failed(`${recovery} was switched off after`))
})

describe('a login by a key', () => {
  const [office, elsewhere] = ['203.0.113.7', '192.0.2.7']
  const fromOffice = { sourceAddress: office }
  const officeOnly = { rules: [{ cidr: '203.0.113.0/24' }] }

  test.each([
    ['from an address that is on no IP allowlist', elsewhere, officeOnly, failed('not in the IP allowlist')],
    ['from an address that is on the IP allowlist', office, officeOnly, completed],
    [
      'from an unlisted address, where the list is not enabled',
      elsewhere,
      { ...officeOnly, enabled: false },
      completed,
    ],
  ])('%s', async (_, sourceAddress, listed, end) => {
    const { apiKey, passkey } = await userWith('API_KEY', 'PASSKEY')
    const { activity } = (await submit('stamp_login', newSession(), { apiKey, sourceAddress })).body
    await done('set_ip_allowlist', listed, fromOffice)
    const shown = await endOf(activity, { passkey, ...fromOffice })
    await done('remove_ip_allowlist', {}, fromOffice)
    expect(shown).toMatch(end)
    expect(shown).not.toContain(sourceAddress)
  })

  test('with an IP allowlist of its own', async () => {
    const { apiKey, passkey } = await userWith('API_KEY', 'PASSKEY')
    const { activity } = (await submit('stamp_login', newSession(), { apiKey, sourceAddress: elsewhere })).body
    await done('set_ip_allowlist', officeOnly, fromOffice)
    const rules = [{ cidr: '192.0.2.0/24' }]
    await done('set_ip_allowlist', { publicKey: apiKey.publicKey, rules }, fromOffice)
    const shown = await endOf(activity, { passkey, ...fromOffice })
    await done('remove_ip_allowlist', {}, fromOffice)
    expect(shown).toMatch(completed)
  })

  test.each([
    ['that passkeys may use', 'https://app.example.com', completed],
    ['that passkeys may use no more', 'https://other.example.com', failed('passkey')],
  ])('of a page %s', async (_, value, end) => {
    const { apiKey, passkey } = await userWith('PASSKEY', 'API_KEY')
    const { activity } = (await submit('stamp_login', newSession(), { passkey })).body
    const name = 'FEATURE_NAME_WEBAUTHN_ORIGINS'
    await done('set_organization_feature', { name, value })
    const shown = await endOf(activity, { apiKey })
    await done('remove_organization_feature', { name })
    expect(shown).toMatch(end)
  })
})
