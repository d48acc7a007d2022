import { expect, test } from 'vitest'
import {
  claimsOf,
  clientSignatureOf,
  loginsOf,
  passcodeFor,
  signUpSignatureOf,
} from '../../../../test/support/logins.ts'
import {
  type Answer,
  expectRefused,
  newApiKey,
  newAuthenticator,
  type Parameters,
  startOrganization,
} from '../../../../test/support/organization.ts'
import { generateApiKey } from '../../../../test/support/stamping.ts'

const organization = await startOrganization()
const { server, clock, submit, done, found } = organization
const { tokenFor, startFlow } = await loginsOf(organization)
const name = 'create_sub_organization'
const olderType = 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7'

let count = 0
async function newSignUp(given: Parameters = {}, { byPhone = false } = {}) {
  const clientKey = generateApiKey()
  const contact = byPhone ? `+1415555${1000 + ++count}` : `New${++count}@example.org`
  const token = await tokenFor(contact, clientKey, byPhone ? { otpType: 'OTP_TYPE_SMS' } : {})
  const rootUser = {
    userName: 'new',
    ...(byPhone ? { userPhoneNumber: contact } : { userEmail: contact }),
    apiKeys: [],
    authenticators: [newAuthenticator()],
    oauthProviders: [],
    ...given,
  }
  const clientSignature = signUpSignatureOf(token, clientKey, rootUser)
  const parameters = { ...parametersOf(rootUser, token), clientSignature }
  return { contact, clientKey, token, rootUser, parameters }
}

function parametersOf(rootUser: Parameters, verificationToken: string, given: Parameters = {}) {
  return { subOrganizationName: 'sub', rootUsers: [rootUser], rootQuorumThreshold: 1, verificationToken, ...given }
}

const verified = async (filterType: string, filterValue: string): Promise<Answer['body']> =>
  (await found('list_verified_suborgs', { filterType, filterValue })).organizationIds

test('a user who signs up by a token has a verified contact and logs in once with the same token', async () => {
  const { contact, clientKey, token, parameters } = await newSignUp()
  const { subOrganizationId } = await done(name, parameters)
  expect(await verified('EMAIL', contact.toLowerCase())).toEqual([subOrganizationId])

  const { publicKey } = clientKey
  const clientSignature = clientSignatureOf({ verificationToken: token, clientKey, publicKey })
  const login = { verificationToken: token, publicKey, clientSignature }
  await done('otp_login', login, { organizationId: subOrganizationId })
  expect(await found('whoami', {}, { apiKey: clientKey })).toMatchObject({ organizationId: subOrganizationId })
  expectRefused(await submit(name, parameters), 400, 'it was used before')
})

test('a token signs up once', async () => {
  const { parameters } = await newSignUp()
  await done(name, parameters)
  const again = { ...parameters, subOrganizationName: 'another' }
  expectRefused(await submit(name, again), 400, 'it was used before')
})

test('a phone number is verified likewise', async () => {
  const { contact, parameters } = await newSignUp({}, { byPhone: true })
  const { subOrganizationId } = await done(name, parameters)
  expect(await verified('PHONE_NUMBER', contact)).toEqual([subOrganizationId])
})

test('without a token no contact is verified', async () => {
  const rootUser = {
    userName: 'a',
    userEmail: 'plain@example.org',
    apiKeys: [],
    authenticators: [],
    oauthProviders: [],
  }
  await done(name, { subOrganizationName: 'sub', rootUsers: [rootUser], rootQuorumThreshold: 1 })
  expect(await verified('EMAIL', 'plain@example.org')).toEqual([])
})

test('the request must be what the client signed', async () => {
  const { token, clientKey, rootUser, parameters } = await newSignUp({ apiKeys: [newApiKey()] })
  for (const [change, field] of [
    [{ apiKeys: [newApiKey()] }, 'apiKeys'],
    [{ apiKeys: [...rootUser.apiKeys, newApiKey()] }, 'apiKeys'],
    [{ authenticators: [newAuthenticator()] }, 'authenticators'],
    [{ authenticators: [] }, 'authenticators'],
    [{ userEmail: 'eve@example.org' }, 'email'],
    [{ userPhoneNumber: '+14155550199' }, 'phoneNumber'],
  ] as const) {
    const changed = { ...parameters, rootUsers: [{ ...rootUser, ...change }] }
    const answer = await submit(name, changed)
    expectRefused(answer, 400, 'parameters.clientSignature.message', `the root user's ${field} in signupV2`)
  }
  const thief = generateApiKey()
  const forged = signUpSignatureOf(token, thief, rootUser)
  const { message } = parameters.clientSignature
  const ofLogin = clientSignatureOf({ verificationToken: token, clientKey, publicKey: clientKey.publicKey })
  for (const [clientSignature, text] of [
    [forged, 'parameters.clientSignature.publicKey'],
    [{ ...forged, publicKey: clientKey.publicKey }, 'parameters.clientSignature.signature'],
    [{ ...parameters.clientSignature, message: `${message} ` }, 'parameters.clientSignature.signature'],
    [ofLogin, 'parameters.clientSignature.message'],
  ] as const) {
    expectRefused(await submit(name, { ...parameters, clientSignature }), 400, text)
  }
  await done(name, parameters)
})

test('a token must be about the only root user, and of this organization', async () => {
  const { token, clientKey, rootUser, parameters } = await newSignUp()
  const other = { ...rootUser, userEmail: 'other@example.org' }
  const clientSignature = signUpSignatureOf(token, clientKey, other)
  expectRefused(
    await submit(name, parametersOf(other, token, { clientSignature })),
    400,
    "parameters.verificationToken must be one about the root user's",
  )
  const two = { ...parameters, rootUsers: [rootUser, { ...rootUser, authenticators: [newAuthenticator()] }] }
  expectRefused(await submit(name, two), 400, 'parameters.rootUsers must be one user')
  const wrong = { ...parameters, verificationToken: `${token}A` }
  expectRefused(await submit(name, wrong), 400, 'parameters.verificationToken')
  clock.nowMs += 3_600_000
  expectRefused(await submit(name, parameters), 400, 'the token has expired')
})

test('the older type accepts tokens with and without a key without a signature, and checks a given signature', async () => {
  const { token, clientKey, rootUser, contact } = await newSignUp()
  const wrong = signUpSignatureOf(token, clientKey, { ...rootUser, authenticators: [] })
  const signed = parametersOf(rootUser, token, { clientSignature: wrong })
  expectRefused(await submit(name, signed, { type: olderType }), 400, 'parameters.clientSignature.message')
  const made = await done(name, parametersOf(rootUser, token), { type: olderType })
  expect(await verified('EMAIL', contact)).toEqual([made.subOrganizationId])

  const flow = await startFlow('first@example.org')
  const otpCode = await passcodeFor(server, flow.contact)
  const first = await done('verify_otp', { otpId: flow.otpId, otpCode }, { type: 'ACTIVITY_TYPE_VERIFY_OTP' })
  expect(claimsOf(first.verificationToken)).not.toHaveProperty('public_key')
  const user = { ...rootUser, userEmail: flow.contact, authenticators: [newAuthenticator()] }
  const clientSignature = signUpSignatureOf(first.verificationToken, clientKey, user)
  const newest = parametersOf(user, first.verificationToken, { clientSignature })
  expectRefused(await submit(name, newest), 400, 'parameters.verificationToken must be a token that names a key')
  await done(name, parametersOf(user, first.verificationToken), { type: olderType })
  expect(await verified('EMAIL', flow.contact)).toHaveLength(1)
})

test('a threshold needs as many approvals as it says', async () => {
  const [first, second] = [generateApiKey(), generateApiKey()]
  const rootUsers = [first, second].map(({ publicKey }) => ({
    userName: 'member',
    apiKeys: [newApiKey({ publicKey })],
    authenticators: [],
    oauthProviders: [],
  }))
  const made = await done(name, { subOrganizationName: 'two', rootUsers, rootQuorumThreshold: 2 })
  const at = { organizationId: made.subOrganizationId }
  const renamed = await submit('update_organization_name', { organizationName: 'new' }, { ...at, apiKey: first })
  const { status, fingerprint } = renamed.body.activity
  expect(status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  await submit('approve_activity', { fingerprint }, { ...at, apiKey: second })
  expect(await found('whoami', {}, { ...at, apiKey: first })).toMatchObject({ organizationName: 'new' })
})
