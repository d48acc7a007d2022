import { expect, test } from 'vitest'
import { claimsOf, clientSignatureOf, loginsOf, passcodeFor } from '../../../test/support/logins.ts'
import {
  expectRefused,
  newApiKey,
  newUser,
  type Parameters,
  startOrganization,
} from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const organization = await startOrganization()
const { submit, done, found, clock, organizationId, query, server } = organization
const { newMailUser, loginFor, tokenFor, startFlow } = await loginsOf(organization)

test("a session's key stamps requests until it expires", async () => {
  const { userId, contact } = await newMailUser()
  const { sessionKey: apiKey, parameters } = await loginFor(contact, { expirationSeconds: '60' })
  const { session } = await done('otp_login', parameters)
  expect(claimsOf(session)).toStrictEqual({
    exp: Math.floor((clock.nowMs + 60_000) / 1_000),
    public_key: apiKey.publicKey,
    session_type: 'SESSION_TYPE_READ_WRITE',
    user_id: userId,
    organization_id: organizationId,
  })
  expect(await found('whoami', {}, { apiKey })).toMatchObject({ userId })
  const [key] = (await found('get_api_keys', { userId }, { apiKey })).apiKeys
  expect(key).toMatchObject({
    credential: { publicKey: apiKey.publicKey, type: 'CREDENTIAL_TYPE_LOGIN' },
    expirationSeconds: '60',
  })
  clock.nowMs += 60_000
  expectRefused(await query('whoami', {}, { apiKey }), 401, 'expired api key publicKey')
})

test('a token is used once, also if two logins race for it', async () => {
  const { contact } = await newMailUser()
  const { parameters } = await loginFor(contact)
  const answers = await Promise.all([1, 2, 3].map(() => submit('otp_login', parameters)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  expectRefused(await submit('otp_login', parameters), 400)
})

test('a used token is refused for another session key', async () => {
  const { contact } = await newMailUser()
  const clientKey = generateApiKey()
  const verificationToken = await tokenFor(contact, clientKey)
  const login = () => {
    const { publicKey } = generateApiKey()
    return {
      verificationToken,
      publicKey,
      clientSignature: clientSignatureOf({ verificationToken, clientKey, publicKey }),
    }
  }
  await done('otp_login', login())
  expectRefused(await submit('otp_login', login()), 400, 'it was used before')
})

test("a token is useless without the client's key", async () => {
  const { contact } = await newMailUser()
  const { parameters } = await loginFor(contact)
  const { verificationToken, publicKey, clientSignature } = parameters
  const thief = generateApiKey()
  const forged = clientSignatureOf({ verificationToken, clientKey: thief, publicKey })
  const { message } = clientSignature
  for (const [wrong, text] of [
    [forged, 'parameters.clientSignature.publicKey'],
    [{ ...forged, publicKey: clientSignature.publicKey }, 'parameters.clientSignature.signature'],
    [{ ...clientSignature, message: `${message} ` }, 'parameters.clientSignature.signature'],
  ] as const) {
    expectRefused(await submit('otp_login', { ...parameters, clientSignature: wrong }), 400, text)
  }
  // A signature over another login.
  const swapped = { ...parameters, publicKey: generateApiKey().publicKey }
  expectRefused(await submit('otp_login', swapped), 400, 'parameters.clientSignature.message')
  const { clientSignature: _, ...older } = parameters
  const answer = await submit('otp_login', older, { type: 'ACTIVITY_TYPE_OTP_LOGIN' })
  expectRefused(answer, 400, 'parameters.clientSignature')
  await done('otp_login', parameters)
})

test('a signed message without a session key is refused with its field', async () => {
  const { contact } = await newMailUser()
  const [clientKey, { publicKey }] = [generateApiKey(), generateApiKey()]
  const verificationToken = await tokenFor(contact, clientKey)
  for (const signed of [null, 1, [publicKey], {}, { toString: 1 }] as const) {
    const clientSignature = clientSignatureOf({ verificationToken, clientKey, publicKey: signed })
    const answer = await submit('otp_login', { verificationToken, publicKey, clientSignature })
    expectRefused(answer, 400, 'parameters.clientSignature.message')
  }
})

test('a token without a key logs in by the first type', async () => {
  const { contact, userId } = await newMailUser()
  const flow = await startFlow(contact)
  const otpCode = await passcodeFor(server, contact)
  const type = 'ACTIVITY_TYPE_VERIFY_OTP'
  const verified = await submit('verify_otp', { otpId: flow.otpId, otpCode }, { type })
  const { verificationToken } = verified.body.activity.result.verifyOtpResult
  const apiKey = generateApiKey()
  const parameters = { verificationToken, publicKey: apiKey.publicKey }
  const { body } = await submit('otp_login', parameters, { type: 'ACTIVITY_TYPE_OTP_LOGIN' })
  expect(body.activity.result).toStrictEqual({ otpLoginResult: { session: expect.any(String) } })
  expect(await found('whoami', {}, { apiKey })).toMatchObject({ userId })
})

test('an expired or changed token is refused', async () => {
  const { contact } = await newMailUser()
  const { parameters } = await loginFor(contact)
  const [header, , signature] = parameters.verificationToken.split('.')
  const claims = { ...claimsOf(parameters.verificationToken), contact: 'root@example.org' }
  const forged = [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
  for (const verificationToken of [forged, 'no token', '..', `${parameters.verificationToken}A`]) {
    expectRefused(await submit('otp_login', { ...parameters, verificationToken }), 400, 'parameters.verificationToken')
  }
  clock.nowMs += 3_600_000
  expectRefused(await submit('otp_login', parameters), 400, 'the token has expired')
})

test('invalidateExisting ends the other sessions of the user, and leaves its other keys', async () => {
  const { userId, contact } = await newMailUser()
  const own = generateApiKey()
  await done('create_api_keys', { userId, apiKeys: [newApiKey({ publicKey: own.publicKey })] })
  const first = await loginFor(contact)
  await done('otp_login', first.parameters)
  const second = await loginFor(contact, { invalidateExisting: true })
  await done('otp_login', second.parameters)
  expectRefused(
    await query('whoami', {}, { apiKey: first.sessionKey }),
    401,
    'could not find public key in organization',
  )
  for (const apiKey of [second.sessionKey, own]) expect((await query('whoami', {}, { apiKey })).status).toBe(200)
})

test('the eleventh session evicts the oldest, and no API key that expires', async () => {
  const { userId, contact } = await newMailUser()
  const key = generateApiKey()
  const apiKeys = [newApiKey({ publicKey: key.publicKey, expirationSeconds: '31536000' })]
  await done('create_api_keys', { userId, apiKeys })
  const sessions = []
  for (let index = 0; index < 11; index += 1) {
    const login = await loginFor(contact)
    await done('otp_login', login.parameters)
    sessions.push(login.sessionKey)
    clock.nowMs += 60_000
  }
  const [oldest, ...others] = sessions
  expectRefused(await query('whoami', {}, oldest === undefined ? {} : { apiKey: oldest }), 401)
  for (const apiKey of [key, ...others]) expect((await query('whoami', {}, { apiKey })).status).toBe(200)
})

test('a contact of no user or of two users logs nobody in', async () => {
  const nobody = await loginFor('nobody@example.org')
  expectRefused(await submit('otp_login', nobody.parameters), 404)
  const { contact } = await newMailUser()
  await done('create_users', { users: [newUser({ userEmail: contact })] })
  const ambiguous = await loginFor(contact)
  expectRefused(await submit('otp_login', ambiguous.parameters), 400, 'more than one user')
})

test('a token and key of the parent log in a user of a sub-organization; those of another organization do not', async () => {
  const contact = 'child@example.org'
  const rootUsers = [
    { userName: 'child', userEmail: contact, apiKeys: [newApiKey()], authenticators: [], oauthProviders: [] },
  ]
  const child = async (subOrganizationName: string): Promise<string> => {
    const given: Parameters = { subOrganizationName, rootUsers, rootQuorumThreshold: 1 }
    return (await done('create_sub_organization', given)).subOrganizationId
  }
  const [first, second] = [await child('first'), await child('second')]
  const { sessionKey: apiKey, parameters } = await loginFor(contact)
  await done('otp_login', parameters, { organizationId: first })
  expect(await found('whoami', {}, { apiKey, organizationId: first })).toMatchObject({ organizationId: first })
  expectRefused(await submit('otp_login', parameters, { organizationId: second }), 400, 'it was used before')
})
