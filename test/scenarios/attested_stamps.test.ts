import { sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { claimsOf, loginsOf } from '../support/logins.ts'
import {
  expectRefused,
  newApiKey,
  newMfaPolicy,
  newPolicy,
  newUser,
  startOrganization,
} from '../support/organization.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** A login with a verification token and a key that no user has: `X-Stamp-Attested` on stamp_login. */

const organization = await startOrganization()
const { server, clock, organizationId, submit, done, found, anotherUser, subOrganization, rootUserId } = organization
const { newMailUser, tokenFor, loginFor } = await loginsOf(organization)

type Members = Readonly<Record<string, string>>

function attested(token: string, key: ApiKeyPair, body: Uint8Array, given: Members = {}): string {
  return JSON.stringify({
    publicKeyAttestation: token,
    scheme: 'STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN',
    publicKey: key.publicKey,
    signature: sign('sha256', body, key.privateKey).toString('hex'),
    ...given,
  })
}

function loginBody(publicKey: string, target = organizationId): Buffer {
  clock.nowMs += 1
  const type = 'ACTIVITY_TYPE_STAMP_LOGIN'
  return Buffer.from(
    JSON.stringify({ type, timestampMs: String(clock.nowMs), organizationId: target, parameters: { publicKey } }),
  )
}

async function post(path: string, body: Uint8Array, value: string) {
  const stamps = [{ header: 'x-stamp-attested', value }] as const
  const answer = await server.submit({ path, body, stamps, dialect: 'spec' })
  return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString()) }
}

const login = (body: Uint8Array, value: string) => post('/public/v1/submit/stamp_login', body, value)

test('the user who reads the contact is logged in, once', async () => {
  const { userId, contact } = await newMailUser()
  const [clientKey, session, another] = [generateApiKey(), generateApiKey(), generateApiKey()]
  const token = await tokenFor(contact, clientKey)
  const body = loginBody(session.publicKey)
  const value = attested(token, clientKey, body)
  const answer = await login(body, value)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  const { activity } = answer.body
  expect(claimsOf(activity.result.stampLoginResult.session)).toMatchObject({ user_id: userId })
  expect(activity.votes).toMatchObject([
    { scheme: 'SIGNATURE_SCHEME_TK_ATTESTED_P256', publicKey: clientKey.publicKey },
  ])
  expect(await found('whoami', {}, { apiKey: session })).toMatchObject({ userId })
  // The same bytes are the same activity; other bytes find the token used.
  expect((await login(body, value)).body.activity.id).toBe(activity.id)
  const more = loginBody(another.publicKey)
  expectRefused(await login(more, attested(token, clientKey, more)), 401, 'it was used before')
})

async function newSubOrganization(userEmail: string): Promise<string> {
  const rootUser = { userName: 'child', userEmail, apiKeys: [newApiKey()], authenticators: [], oauthProviders: [] }
  const given = { subOrganizationName: 'c', rootUsers: [rootUser], rootQuorumThreshold: 1 }
  return (await done('create_sub_organization', given)).subOrganizationId
}

/** Logs in by the parent's id. */
async function loginFromAnywhere(contact: string) {
  const [clientKey, session] = [generateApiKey(), generateApiKey()]
  const body = loginBody(session.publicKey)
  return { session, ...(await login(body, attested(await tokenFor(contact, clientKey), clientKey, body))) }
}

test("a parent's id stands for the one sub-organization in which somebody has the contact", async () => {
  const contact = 'only@example.org'
  const subOrganizationId = await newSubOrganization(contact)
  await done('otp_login', (await loginFor(contact)).parameters, { organizationId: subOrganizationId })
  const { session, ...answer } = await loginFromAnywhere(contact)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  expect(answer.body.activity.organizationId).toBe(subOrganizationId)
  const ask = { apiKey: session, organizationId: subOrganizationId }
  expect(await found('whoami', {}, ask)).toMatchObject({ organizationId: subOrganizationId })

  // A user with the same address in another organization has not verified that they read it.
  await newSubOrganization(contact)
  await newSubOrganization(contact)
  expect((await loginFromAnywhere(contact)).body.activity?.organizationId).toBe(subOrganizationId)
})

test('a contact that two users of a sub-organization have verified names neither, also by the parent’s id', async () => {
  const contact = 'shared@example.org'
  const { organizationId, apiKey, rootUserId } = await subOrganization()
  const verify = async (userId: string) => {
    clock.nowMs += 3 * 60 * 1_000
    const verificationToken = await tokenFor(contact, generateApiKey())
    await done('update_user_email', { userId, userEmail: contact, verificationToken }, { organizationId, apiKey })
  }
  await verify(rootUserId)
  expect((await loginFromAnywhere(contact)).body.activity?.organizationId).toBe(organizationId)
  const [second] = (await done('create_users', { users: [newUser()] }, { organizationId, apiKey })).userIds
  await verify(second)
  expectRefused(await loginFromAnywhere(contact), 401, 'more than one user')
  const clientKey = generateApiKey()
  const body = loginBody(generateApiKey().publicKey, organizationId)
  const own = await login(body, attested(await tokenFor(contact, clientKey), clientKey, body))
  expectRefused(own, 401, 'more than one user')
})

test.each([
  ['EMAIL', { userEmail: 'both@example.org' }, { userEmail: 'Both@Example.org' }, 'update_user_email'],
  ['SMS', { userPhoneNumber: '+41790000017' }, { userPhoneNumber: '+41790000017' }, 'update_user_phone_number'],
] as const)(
  'a contact (%s) of users of the parent and of a sub-organization names neither by the parent’s id',
  async (by, contact, spelled, update) => {
    const { organizationId: childId, apiKey, rootUserId: userId } = await subOrganization()
    const inChild = { organizationId: childId, apiKey }
    const to = Object.values(contact)[0] ?? ''
    const stampIn = async (organizationId: string) => {
      clock.nowMs += 3 * 60 * 1_000
      const clientKey = generateApiKey()
      const body = loginBody(generateApiKey().publicKey, organizationId)
      const token = await tokenFor(to, clientKey, { otpType: `OTP_TYPE_${by}` })
      return login(body, attested(token, clientKey, body))
    }
    const verificationToken = await tokenFor(to, generateApiKey(), { otpType: `OTP_TYPE_${by}` })
    await done(update, { userId, ...contact, verificationToken }, inChild)
    expect((await stampIn(organizationId)).body.activity?.organizationId).toBe(childId)
    const [own] = (await done('create_users', { users: [newUser(spelled)] })).userIds
    expectRefused(await stampIn(organizationId), 401, 'name the organization in organizationId')
    expect((await stampIn(childId)).body.activity?.votes).toMatchObject([{ userId }])
    // Once one user alone has the contact it leads to that one again.
    await done('delete_users', { userIds: [own] })
    expect((await stampIn(organizationId)).body.activity?.organizationId).toBe(childId)
  },
)

test('a contact that nobody has verified leads to no sub-organization, also if the stamp names it', async () => {
  clock.nowMs += 3 * 60 * 1_000
  const contact = 'stranger@example.org'
  const claimedIn = await newSubOrganization(contact)
  expectRefused(await loginFromAnywhere(contact), 401, 'no user of this organization')
  const clientKey = generateApiKey()
  const body = loginBody(generateApiKey().publicKey, claimedIn)
  const named = await login(body, attested(await tokenFor(contact, clientKey), clientKey, body))
  expectRefused(named, 401, 'no user of this organization')
})

test('one of several logins that race with one token succeeds', async () => {
  const { contact } = await newMailUser()
  const clientKey = generateApiKey()
  const token = await tokenFor(contact, clientKey)
  const bodies = [1, 2, 3].map(() => loginBody(generateApiKey().publicKey))
  const answers = await Promise.all(bodies.map((body) => login(body, attested(token, clientKey, body))))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
})

describe('is refused:', () => {
  test('a thief with the token but without the key', async () => {
    const { contact } = await newMailUser()
    const [clientKey, thief] = [generateApiKey(), generateApiKey()]
    const token = await tokenFor(contact, clientKey)
    const body = loginBody(thief.publicKey)
    expectRefused(await login(body, attested(token, thief, body)), 401, 'the token names another key')
    const swapped = attested(token, thief, body, { publicKey: clientKey.publicKey })
    expectRefused(await login(body, swapped), 401, 'could not verify api key signature')
    const other = attested(token, clientKey, loginBody(clientKey.publicKey))
    expectRefused(await login(body, other), 401, 'could not verify api key signature')
  })

  test('a contact of nobody, and one of two users', async () => {
    const [clientKey, session] = [generateApiKey(), generateApiKey()]
    const body = loginBody(session.publicKey)
    const nobody = attested(await tokenFor('nobody@example.org', clientKey), clientKey, body)
    expectRefused(await login(body, nobody), 401, 'no user of this organization')
    const { contact } = await newMailUser()
    await done('create_users', { users: [newUser({ userEmail: contact })] })
    const two = attested(await tokenFor(contact, clientKey), clientKey, body)
    expectRefused(await login(body, two), 401, 'more than one user')
  })

  test('a user of the parent, by a token of a sub-organization', async () => {
    const sub = await subOrganization()
    const [clientKey, contact] = [generateApiKey(), 'root@example.org']
    await done('update_user_email', { userId: rootUserId, userEmail: contact })
    const ofSub = await loginsOf({ server, done: (name, given) => done(name, given, sub) })
    const token = await ofSub.tokenFor(contact, clientKey)
    clock.nowMs += 1
    const body = Buffer.from(
      JSON.stringify({
        type: 'ACTIVITY_TYPE_INIT_OTP_V3',
        timestampMs: String(clock.nowMs),
        organizationId: sub.organizationId,
        parameters: { otpType: 'OTP_TYPE_EMAIL', contact: 'other@example.org', appName: 'Test' },
      }),
    )
    const answer = await post('/public/v1/submit/init_otp', body, attested(token, clientKey, body))
    expectRefused(answer, 401, 'issued by another organization')
  })

  test('an expired token, a forged one, and a header that is none', async () => {
    const { contact } = await newMailUser()
    const clientKey = generateApiKey()
    const token = await tokenFor(contact, clientKey)
    const body = loginBody(clientKey.publicKey)
    for (const value of ['', '{}', 'null', 'no base64 !', attested(`${token}A`, clientKey, body)]) {
      expectRefused(await login(body, value), 401, 'the attestation of the stamp is not valid')
    }
    for (const [given, text] of [
      [{ scheme: 'STAMP_ATTESTED_SCHEME_NONE' }, 'no scheme'],
      [{ publicKey: '02' }, 'publicKey'],
      [{ signature: 'zz' }, 'signature'],
      [{ more: 'x' }, 'exactly the members'],
    ] as const) {
      expectRefused(await login(body, attested(token, clientKey, body, given)), 401, text)
    }
    clock.nowMs += 3_600_000
    const late = loginBody(clientKey.publicKey)
    expectRefused(await login(late, attested(token, clientKey, late)), 401, 'the token has expired')
  })

  test('a query, and a vote', async () => {
    const { contact } = await newMailUser()
    const clientKey = generateApiKey()
    const token = await tokenFor(contact, clientKey)
    const body = Buffer.from(JSON.stringify({ organizationId }))
    expectRefused(
      await post('/public/v1/query/whoami', body, attested(token, clientKey, body)),
      401,
      'is for activities',
    )
    const two = { consensus: 'approvers.count() >= 2', condition: "activity.resource == 'WALLET'" }
    await done('create_policy', { policyName: 'two', effect: 'EFFECT_ALLOW', notes: '', ...two })
    const { apiKey } = await anotherUser()
    const asked = await submit('create_wallet', { walletName: 'of two', accounts: [] }, { apiKey })
    const { fingerprint } = asked.body.activity
    for (const selection of ['approve', 'reject']) {
      clock.nowMs += 1
      const type = `ACTIVITY_TYPE_${selection.toUpperCase()}_ACTIVITY`
      const vote = Buffer.from(
        JSON.stringify({ type, timestampMs: String(clock.nowMs), organizationId, parameters: { fingerprint } }),
      )
      const answer = await post(`/public/v1/submit/${selection}_activity`, vote, attested(token, clientKey, vote))
      expectRefused(answer, 403, 'an attested stamp logs in')
    }
  })

  test('what the user may not do', async () => {
    const { contact } = await newMailUser()
    const { userId } = await anotherUser()
    const clientKey = generateApiKey()
    const token = await tokenFor(contact, clientKey)
    clock.nowMs += 1
    const body = Buffer.from(
      JSON.stringify({
        type: 'ACTIVITY_TYPE_CREATE_API_KEYS_V2',
        timestampMs: String(clock.nowMs),
        organizationId,
        parameters: { userId, apiKeys: [newApiKey()] },
      }),
    )
    const answer = await post('/public/v1/submit/create_api_keys', body, attested(token, clientKey, body))
    expectRefused(answer, 403)
  })
})

describe('a rule about credentials is about the key of the stamp too', () => {
  const passkey = "'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'"
  test.each([
    ['EFFECT_ALLOW', `credentials.all(used, used.type == ${passkey})`],
    ['EFFECT_DENY', `credentials.any(used, used.type != ${passkey})`],
    ['EFFECT_DENY', "credentials.any(used, used.type == 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256')"],
  ])('%s %s', async (effect, rule) => {
    const { userId, contact } = await newMailUser()
    const isUser = `approvers.any(user, user.id == '${userId}')`
    await done('create_mfa_policy', {
      userId,
      ...newMfaPolicy({ requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_EMAIL_OTP' }] }] }),
    })
    const allowed = effect === 'EFFECT_ALLOW' ? [] : [{ effect: 'EFFECT_ALLOW', consensus: isUser }]
    for (const given of [...allowed, { effect, consensus: `${isUser} && ${rule}` }]) {
      await done('create_policy', newPolicy({ ...given, policyName: JSON.stringify([userId, given.effect]) }))
    }
    const clientKey = generateApiKey()
    const token = await tokenFor(contact, clientKey)
    clock.nowMs += 1
    const type = 'ACTIVITY_TYPE_CREATE_WALLET'
    const parameters = { walletName: userId, accounts: [] }
    const body = Buffer.from(JSON.stringify({ type, timestampMs: String(clock.nowMs), organizationId, parameters }))
    const answer = await post('/public/v1/submit/create_wallet', body, attested(token, clientKey, body))
    if (effect === 'EFFECT_DENY') expectRefused(answer, 403)
    else expect(answer.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  })
})
