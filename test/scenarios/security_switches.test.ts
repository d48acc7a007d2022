import { sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { newTarget } from '../support/bundles.ts'
import { loginsOf } from '../support/logins.ts'
import {
  type Ask,
  expectRefused,
  newApiKey,
  newAuthenticator,
  type Parameters,
  startOrganization,
} from '../support/organization.ts'
import { recover } from '../support/recovery.ts'
import { generateApiKey } from '../support/stamping.ts'

/** The features that are on unless they were switched off, and the flags of create_sub_organization for them. */

const organization = await startOrganization()
const { server, clock, submit, done, found } = organization
const { newMailUser, loginFor, tokenFor } = await loginsOf(organization)

const [recovery, rootRecovery] = ['FEATURE_NAME_EMAIL_RECOVERY', 'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY']
const [mail, sms] = ['FEATURE_NAME_OTP_EMAIL_AUTH', 'FEATURE_NAME_SMS_AUTH']
const all = [rootRecovery, recovery, sms, mail]

let count = 0
/** A sub-organization whose root user has an address, a number and a key. */
async function newSubOrganization(flags: Parameters = {}, user: Parameters = {}) {
  count += 1
  const apiKey = generateApiKey()
  const [userEmail, userPhoneNumber] = [`child${count}@example.com`, `+1415555${1000 + count}`]
  const apiKeys = [newApiKey({ publicKey: apiKey.publicKey })]
  const contacts = { userEmail, userPhoneNumber }
  const rootUsers = [{ userName: 'child', ...contacts, apiKeys, authenticators: [], oauthProviders: [], ...user }]
  const given = { subOrganizationName: 'sub', rootUsers, rootQuorumThreshold: 1, ...flags }
  const { subOrganizationId } = await done('create_sub_organization', given)
  return { ...contacts, inside: { organizationId: subOrganizationId, apiKey } satisfies Ask }
}

async function namesOf(ask: Ask): Promise<readonly string[]> {
  const { configs } = await found('get_organization_configs', {}, ask)
  return configs.features.map(({ name }: { name: string }) => name)
}

/** Starts a way in as a user of the parent, at a time when another start is allowed. */
function start(way: 'mail' | 'sms' | 'recovery', sub: Awaited<ReturnType<typeof newSubOrganization>>) {
  clock.nowMs += 4 * 60_000
  const { organizationId } = sub.inside
  if (way === 'recovery') {
    const { targetPublicKey } = newTarget()
    const parameters = { email: sub.userEmail, targetPublicKey, emailCustomization: { appName: 'Acme' } }
    return submit('init_user_email_recovery', parameters, { organizationId })
  }
  const isMail = way === 'mail'
  const contact = isMail ? sub.userEmail : sub.userPhoneNumber
  const otpType = isMail ? 'OTP_TYPE_EMAIL' : 'OTP_TYPE_SMS'
  return submit('init_otp', { otpType, contact, appName: 'Acme' }, { organizationId })
}

test('a new sub-organization has every way in switched on', async () => {
  const sub = await newSubOrganization({ disableEmailRecovery: false, disableOtpEmailAuth: false })
  expect(await namesOf(sub.inside)).toStrictEqual(all)
  for (const way of ['mail', 'sms', 'recovery'] as const) expect((await start(way, sub)).status).toBe(200)
})

for (const [flag, way, feature] of [
  ['disableEmailRecovery', 'recovery', recovery],
  ['disableSmsAuth', 'sms', sms],
  ['disableOtpEmailAuth', 'mail', mail],
] as const) {
  test(`${flag} switches ${feature} off, and its root user can switch it on`, async () => {
    const sub = await newSubOrganization({ [flag]: true })
    expect(await namesOf(sub.inside)).toStrictEqual(all.filter((name) => name !== feature))
    for (const each of ['mail', 'sms', 'recovery'] as const) {
      const answer = await start(each, sub)
      if (each === way) expectRefused(answer, 403, `${feature} is switched off`)
      else expect(answer.status, each).toBe(200)
    }
    expectRefused(await submit('remove_organization_feature', { name: feature }, sub.inside), 404, 'is not set')
    await done('set_organization_feature', { name: feature }, sub.inside)
    expect(await namesOf(sub.inside)).toStrictEqual(all)
    expect((await start(way, sub)).status).toBe(200)
    await done('remove_organization_feature', { name: feature }, sub.inside)
    expectRefused(await start(way, sub), 403, `${feature} is switched off`)
  })
}

test('disableEmailAuth is kept for the day when credentials are mailed, and nothing else goes by it', async () => {
  const sub = await newSubOrganization({ disableEmailAuth: true })
  expect(await namesOf(sub.inside)).toStrictEqual(all)
  for (const way of ['mail', 'sms', 'recovery'] as const) expect((await start(way, sub)).status).toBe(200)
  const name = 'FEATURE_NAME_EMAIL_AUTH'
  expectRefused(await submit('remove_organization_feature', { name }, sub.inside), 404, 'is not set')
})

test('without the recovery of root users, others recover', async () => {
  const sub = await newSubOrganization()
  await done('remove_organization_feature', { name: rootRecovery }, sub.inside)
  expectRefused(await start('recovery', sub), 403, `${rootRecovery} is switched off`)
  const user = { userName: 'other', userTags: [], apiKeys: [], authenticators: [], oauthProviders: [] }
  const userEmail = `other${count}@example.com`
  await done('create_users', { users: [{ ...user, userEmail }] }, sub.inside)
  expect((await start('recovery', { ...sub, userEmail })).status).toBe(200)
})

test('a mailed recovery credential is useless once recovery is switched off', async () => {
  const { userEmail, inside } = await newSubOrganization()
  const { organizationId } = inside
  const { userId, recoveryKey } = await recover(organization, { email: userEmail }, { organizationId })
  await done('remove_organization_feature', { name: recovery }, inside)
  const parameters = { userId, authenticator: newAuthenticator() }
  const answer = await submit('recover_user', parameters, { organizationId, apiKey: recoveryKey })
  expectRefused(answer, 403, `${recovery} is switched off`)
  clock.nowMs += 5 * 60_000
  await done('set_organization_feature', { name: recovery }, inside)
  const again = await submit('recover_user', parameters, { organizationId, apiKey: recoveryKey })
  expectRefused(again, 403, `${recovery} was switched off after this was given out`)
  const anew = await recover(organization, { email: userEmail }, { organizationId })
  await done('recover_user', parameters, { organizationId, apiKey: anew.recoveryKey })
})

test('a mailed recovery of a root user ends with those of root users, and one of another user does not', async () => {
  const { userEmail, inside } = await newSubOrganization()
  const { organizationId } = inside
  const otherEmail = `other${++count}@example.com`
  const user = { userName: 'other', userTags: [], apiKeys: [], authenticators: [], oauthProviders: [] }
  await done('create_users', { users: [{ ...user, userEmail: otherEmail }] }, inside)
  const expirationSeconds = '86400'
  const [ofRoot, ofOther] = [
    await recover(organization, { email: userEmail, expirationSeconds }, { organizationId }),
    await recover(organization, { email: otherEmail, expirationSeconds }, { organizationId }),
  ]
  clock.nowMs += 60_000
  await done('remove_organization_feature', { name: rootRecovery }, inside)
  await done('set_organization_feature', { name: rootRecovery }, inside)
  const recovering = ({ userId, recoveryKey: apiKey }: typeof ofRoot) =>
    submit('recover_user', { userId, authenticator: newAuthenticator() }, { organizationId, apiKey })
  expectRefused(await recovering(ofRoot), 403, `${rootRecovery} was switched off after this`)
  expect((await recovering(ofOther)).status).toBe(200)
})

test("a token of the parent logs nobody in where the sub-organization's passcodes are switched off", async () => {
  const sub = await newSubOrganization({ disableOtpEmailAuth: true })
  const { organizationId } = sub.inside
  const { parameters } = await loginFor(sub.userEmail)
  expectRefused(await submit('otp_login', parameters, { organizationId }), 403, `${mail} is switched off`)
  clock.nowMs += 60_000
  await done('set_organization_feature', { name: mail }, sub.inside)
  expectRefused(await submit('otp_login', parameters, { organizationId }), 403, `${mail} was switched off after this`)
  const { parameters: anew } = await loginFor(sub.userEmail)
  // It is on already: nothing ends.
  await done('set_organization_feature', { name: mail, value: 'true' }, sub.inside)
  await done('otp_login', anew, { organizationId })
})

test('a passcode stamps nothing where passcodes are switched off', async () => {
  const { contact } = await newMailUser()
  const [clientKey, session] = [generateApiKey(), generateApiKey()]
  const token = await tokenFor(contact, clientKey)
  await done('remove_organization_feature', { name: mail })
  const body = Buffer.from(
    JSON.stringify({
      type: 'ACTIVITY_TYPE_STAMP_LOGIN',
      timestampMs: String(clock.nowMs),
      organizationId: organization.organizationId,
      parameters: { publicKey: session.publicKey },
    }),
  )
  const value = JSON.stringify({
    publicKeyAttestation: token,
    scheme: 'STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN',
    publicKey: clientKey.publicKey,
    signature: sign('sha256', body, clientKey.privateKey).toString('hex'),
  })
  const stamps = [{ header: 'x-stamp-attested', value }] as const
  const login = async () => {
    const answer = await server.submit({ path: '/public/v1/submit/stamp_login', body, stamps, dialect: 'spec' })
    return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString()) }
  }
  expectRefused(await login(), 403, `${mail} is switched off`)
  clock.nowMs += 1
  await done('set_organization_feature', { name: mail })
  expectRefused(await login(), 403, `${mail} was switched off after this`)
  const { parameters } = await loginFor(contact)
  await done('otp_login', parameters)
})

test('a sub-organization whose root users could log in by no way that is on is refused', async () => {
  const made = newSubOrganization({ disableOtpEmailAuth: true, disableSmsAuth: true }, { apiKeys: [] })
  await expect(made).rejects.toThrow('too few root users')
  await newSubOrganization({ disableOtpEmailAuth: true }, { apiKeys: [] })
})

test('the last way in of the root quorum cannot be switched off', async () => {
  const sub = await newSubOrganization({}, { apiKeys: [] })
  const { organizationId } = sub.inside
  const { sessionKey: apiKey, parameters } = await loginFor(sub.userEmail)
  await done('otp_login', parameters, { organizationId })
  const inside = { organizationId, apiKey }
  await done('remove_organization_feature', { name: sms }, inside)
  const answer = await submit('remove_organization_feature', { name: mail }, inside)
  expectRefused(answer, 400, 'parameters.name: this would leave the root quorum without enough members who can log in')
  const { userId } = await found('whoami', {}, inside)
  const update = await submit('update_user_email', { userId, userEmail: '' }, inside)
  expectRefused(update, 400, 'without a way to log in')
})
