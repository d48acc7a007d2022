import { describe, expect, test } from 'vitest'
import { plainLines } from '../../src/contract/explanation/texts/plain_lines.ts'
import { proxyOf, proxyOrigin } from '../support/auth_proxy.ts'
import { invite } from '../support/invitations.ts'
import { clientSignatureOf, loginsBy, loginsOf, passcodeFor } from '../support/logins.ts'
import {
  expectRefused,
  newApiKey,
  newMfaPolicy,
  newPolicy,
  newUser,
  organizationOf,
  startOrganization,
} from '../support/organization.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** A session that a code opened ends with the contact to which the code was sent. */

const organization = await startOrganization()
const { server, clock, rootUserId, done, submit, found, query } = organization
const operations = ['otp_init_v2', 'otp_verify_v2', 'otp_login_v2']
await done('enable_auth_proxy', { operations, allowedOrigins: [proxyOrigin], appName: 'Acme' })
const { asked, throughProxy, attested } = proxyOf(organization)
const ofBackend = await loginsOf(organization)
const ofProxy = loginsBy({
  done: throughProxy,
  signer: (await server.vault.publishedKeys()).tlsFetcherSigning?.uncompressed ?? '',
  passcodeSentTo: (contact) => passcodeFor(server, contact),
})

let count = 0
const next = () => {
  count += 1
  return count
}
const elsewhere = () => `elsewhere${next()}@example.net`

async function newPerson() {
  const count = next()
  const [email, phone] = [`person${count}@example.net`, `+1415555${1000 + count}`]
  const key = generateApiKey()
  const given = { userEmail: email, userPhoneNumber: phone, apiKeys: [newApiKey({ publicKey: key.publicKey })] }
  const [userId] = (await done('create_users', { users: [newUser({ userName: `person ${count}`, ...given })] })).userIds
  const consensus = `approvers.any(user, user.id == '${userId}')`
  const condition = "activity.kind == 'UPDATE_USER_EMAIL' || activity.kind == 'CREATE_INVITATIONS'"
  await done('create_policy', newPolicy({ policyName: userId, effect: 'EFFECT_ALLOW', condition, consensus }))
  return { userId, email, phone, key }
}
type Person = Awaited<ReturnType<typeof newPerson>>

async function byText({ phone }: Person) {
  const [clientKey, session] = [generateApiKey(), generateApiKey()]
  const verificationToken = await ofBackend.tokenFor(phone, clientKey, { otpType: 'OTP_TYPE_SMS' })
  const { publicKey } = session
  const clientSignature = clientSignatureOf({ verificationToken, clientKey, publicKey })
  await done('otp_login', { verificationToken, publicKey, clientSignature })
  return session
}

async function logIn(contact: string) {
  const { sessionKey, parameters } = await ofBackend.loginFor(contact)
  await done('otp_login', parameters)
  return sessionKey
}
const byMail = ({ email }: Person) => logIn(email)

async function renewed(apiKey: ApiKeyPair) {
  const session = generateApiKey()
  await done('stamp_login', { publicKey: session.publicKey }, { apiKey })
  return session
}

/** Each way in which a code to the mailbox opens a session. */
const ways: Readonly<Record<string, (person: Person) => Promise<ApiKeyPair>>> = {
  otp_login: byMail,
  'the auth proxy': async ({ email }) => {
    const { sessionKey, parameters } = await ofProxy.loginFor(email)
    await asked('otp_login_v2', parameters)
    return sessionKey
  },
  'a stamp with the token': async ({ email }) => {
    const [key, session] = [generateApiKey(), generateApiKey()]
    const token = await ofBackend.tokenFor(email, key)
    const { publicKey } = session
    expect((await attested('stamp_login', { publicKey }, { token, key })).status).toBe(200)
    return session
  },
  'a session that such a session opened': async (person) => renewed(await renewed(await byMail(person))),
}

const ends: Readonly<Record<string, (userId: string) => Promise<unknown>>> = {
  'another address': (userId) => done('update_user_email', { userId, userEmail: elsewhere() }),
  'another address by update_user': (userId) => done('update_user', { userId, userEmail: elsewhere() }),
  'no address': (userId) => done('update_user_email', { userId, userEmail: '' }),
}

const isGood = async (apiKey: ApiKeyPair) => (await query('whoami', {}, { apiKey })).status === 200
const goodOf = (keys: Readonly<Record<string, ApiKeyPair>>) =>
  Promise.all(Object.entries(keys).map(async ([name, key]) => ((await isGood(key)) ? [name] : []))).then((all) =>
    all.flat(),
  )

async function linksOf(person: Person, session: ApiKeyPair) {
  const link = generateApiKey()
  const given = { userId: person.userId, publicKey: link.publicKey, expirationSeconds: '86400' }
  await done('create_passkey_link', given, { apiKey: session })
  return { link, invitation: (await invite(organization, {}, { apiKey: session })).linkKey }
}

describe.each(Object.keys(ways))('a session by %s', (way) => {
  test.each(Object.keys(ends))('ends with what it has made where its user gets %s, for good', async (end) => {
    const person = await newPerson()
    const session = (await ways[way]?.(person)) ?? generateApiKey()
    const own = { session, ...(await linksOf(person, session)) }
    const others = { key: person.key, ofKey: await renewed(person.key), ofText: await byText(person) }
    expect(await goodOf({ ...own, ...others })).toEqual([...Object.keys(own), ...Object.keys(others)])
    await ends[end]?.(person.userId)
    expect(await goodOf({ ...own, ...others })).toEqual(Object.keys(others))
    await done('update_user_email', { userId: person.userId, userEmail: person.email })
    expect(await goodOf(own)).toEqual([])
  })
})

test.each([
  ['update_user_phone_number', '+14155559998'],
  ['update_user_phone_number', ''],
  ['update_user', '+14155559997'],
])('a session by a text message ends by %s with “%s”, and those by mail stay', async (name, userPhoneNumber) => {
  const person = await newPerson()
  const keys = { text: await byText(person), mail: await byMail(person) }
  await done(name, { userId: person.userId, userPhoneNumber })
  expect(await goodOf(keys)).toEqual(['mail'])
})

test('a change of anything else, and another spelling of the mailbox, end no session', async () => {
  const person = await newPerson()
  const keys = { mail: await byMail(person), text: await byText(person) }
  const { userId } = person
  await done('update_user', { userId, userName: 'renamed', userEmail: person.email.toUpperCase() })
  await done('update_user_email', { userId, userEmail: person.email.replace('person', 'Person') })
  await done('update_user_phone_number', { userId, userPhoneNumber: person.phone })
  expect(await goodOf(keys)).toEqual(['mail', 'text'])
})

test('a session in a sub-organization ends with its contact there', async () => {
  const child = await organization.subOrganization()
  const inChild = organizationOf(organization, child)
  const contact = 'end-user@example.net'
  const verificationToken = await ofBackend.tokenFor(contact, generateApiKey())
  const userId = child.rootUserId
  await inChild.done('update_user_email', { userId, userEmail: contact, verificationToken })
  const { sessionKey, parameters } = await ofProxy.loginFor(contact)
  await asked('otp_login_v2', parameters)
  const statusOf = async () => (await inChild.query('whoami', {}, { apiKey: sessionKey })).status
  expect(await statusOf()).toBe(200)
  await inChild.done('update_user_email', { userId, userEmail: 'moved@example.net' })
  expect(await statusOf()).toBe(401)
})

describe('the session that changes its own contact', () => {
  test('stays while the others end, and ends with the new contact', async () => {
    const person = await newPerson()
    const { userId, email } = person
    const first = await byMail(person)
    const keys = { first, own: await renewed(first), other: await byMail(person) }
    const apiKey = keys.own
    await done('update_user_email', { userId, userEmail: elsewhere() }, { apiKey })
    expect(await goodOf(keys)).toEqual(['own'])
    const made = await linksOf(person, apiKey)
    await done('update_user_email', { userId, userEmail: elsewhere() }, { apiKey })
    expect(await goodOf({ ...keys, ...made })).toEqual(['own', 'link', 'invitation'])
    // Whoever reads the mailbox has changed the address, and an administrator sets it right.
    await done('update_user_email', { userId, userEmail: email })
    expect(await goodOf({ ...keys, ...made })).toEqual([])
  })

  test('ends where no other contact takes its place, and the same bytes still show their activity', async () => {
    const person = await newPerson()
    const apiKey = await byMail(person)
    clock.nowMs += 1
    const { organizationId } = organization
    const parameters = { userId: person.userId, userEmail: '' }
    const type = 'ACTIVITY_TYPE_UPDATE_USER_EMAIL'
    const body = { type, timestampMs: String(clock.nowMs), organizationId, parameters }
    const send = () => server.post('/public/v1/submit/update_user_email', body, apiKey)
    const first = await send()
    expect(first.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(await isGood(apiKey)).toBe(false)
    expect((await send()).body.activity.id).toBe(first.body.activity.id)
  })
})

describe('where others approve', async () => {
  const second = generateApiKey()
  const users = [newUser({ userName: 'second', apiKeys: [newApiKey({ publicKey: second.publicKey })] })]
  const [secondId] = (await done('create_users', { users })).userIds
  const approve = async ({ body }: Awaited<ReturnType<typeof submit>>, apiKey = second) => {
    expect(body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    const { fingerprint } = body.activity
    return (await submit('approve_activity', { fingerprint }, { apiKey })).body.activity
  }
  const withQuorum = async (run: () => Promise<void>) => {
    await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, secondId] })
    await run()
    await approve(await submit('update_root_quorum', { threshold: 1, userIds: [rootUserId] }))
  }

  test('they see the sessions that end, without the one that asks', async () => {
    const userEmail = 'asking@example.net'
    await done('update_user_email', { userId: secondId, userEmail })
    const [asking, other] = [await logIn(userEmail), await logIn(userEmail)]
    const given = { userId: secondId, userEmail: elsewhere() }
    const endedBy = async (activityId: string) => {
      const { explanation } = await found('explain_activity', { activityId })
      return plainLines(explanation).find((line) => line.includes('sessions that end')) ?? ''
    }
    const shownIn = (line: string) =>
      Object.entries({ asking, other }).flatMap(([name, { publicKey }]) => (line.includes(publicKey) ? [name] : []))
    await withQuorum(async () => {
      const byRoot = await submit('update_user_email', given)
      expect(shownIn(await endedBy(byRoot.body.activity.id))).toEqual(['asking', 'other'])
      const number = { userId: secondId, userPhoneNumber: '+14155559996' }
      const ofNumber = await submit('update_user_phone_number', number)
      expect(await endedBy(ofNumber.body.activity.id)).toBe('')
      const byItself = await submit('update_user_email', given, { apiKey: asking })
      expect(shownIn(await endedBy(byItself.body.activity.id))).toEqual(['other'])
      await approve(byItself, organization.rootKey)
      expect(await goodOf({ asking, other })).toEqual(['asking'])
    })
  })

  test('an approval by a session that has ended counts no more', async () => {
    await done('update_user_email', { userId: secondId, userEmail: 'second@example.net' })
    const sessionKey = await logIn('second@example.net')
    const given = { walletName: 'waits', accounts: [] }
    await withQuorum(async () => {
      const waiting = await submit('create_wallet', given, { apiKey: sessionKey })
      await approve(await submit('update_user_email', { userId: secondId, userEmail: elsewhere() }))
      expect((await approve(waiting, organization.rootKey)).status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
      await approve(waiting)
    })
  })
})

test('a step of an MFA policy that a code to a lost contact took is not back with the contact', async () => {
  const person = await newPerson()
  const { userId, email } = person
  const steps = ['AUTHENTICATION_TYPE_EMAIL_OTP', 'AUTHENTICATION_TYPE_API_KEY'].map((type) => ({ any: [{ type }] }))
  const condition = "activity.kind == 'STAMP_LOGIN'"
  await done('create_mfa_policy', { userId, ...newMfaPolicy({ condition, requiredAuthenticationMethods: steps }) })
  const start = async () => {
    const [key, session] = [generateApiKey(), generateApiKey()]
    const token = await ofBackend.tokenFor(email, key)
    const { body } = await attested('stamp_login', { publicKey: session.publicKey }, { token, key })
    return body.activity.fingerprint
  }
  const before = await start()
  await done('update_user_email', { userId, userEmail: elsewhere() })
  await done('update_user_email', { userId, userEmail: email })
  const approve = (fingerprint: string) => submit('approve_activity', { fingerprint }, { apiKey: person.key })
  expect((await approve(before)).body.activity?.status).not.toBe('ACTIVITY_STATUS_COMPLETED')
  expect((await approve(await start())).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('a login that waits for a step of an MFA policy opens no session once its contact is gone', async () => {
  const person = await newPerson()
  const { userId, email } = person
  const another = generateApiKey()
  await done('create_api_keys', { userId, apiKeys: [newApiKey({ publicKey: another.publicKey })] })
  const any = ['AUTHENTICATION_TYPE_EMAIL_OTP', 'AUTHENTICATION_TYPE_API_KEY'].map((type) => ({ type }))
  const condition = "activity.kind == 'STAMP_LOGIN'"
  const policy = newMfaPolicy({ condition, requiredAuthenticationMethods: [{ any }, { any }] })
  await done('create_mfa_policy', { userId, ...policy })
  const [key, session] = [generateApiKey(), generateApiKey()]
  const token = await ofBackend.tokenFor(email, key)
  const { body } = await attested('stamp_login', { publicKey: session.publicKey }, { token, key })
  const { fingerprint } = body.activity
  await done('update_user_email', { userId, userEmail: elsewhere() })
  await submit('approve_activity', { fingerprint }, { apiKey: person.key })
  const last = await submit('approve_activity', { fingerprint }, { apiKey: another })
  expect(last.body.activity).toMatchObject({
    status: 'ACTIVITY_STATUS_FAILED',
    failure: { message: expect.stringContaining('the credential that asked for this session is gone') },
  })
  expectRefused(await query('whoami', {}, { apiKey: session }), 401)
})
