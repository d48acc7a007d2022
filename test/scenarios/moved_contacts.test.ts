import { describe, expect, test } from 'vitest'
import { proxyOf, proxyOrigin } from '../support/auth_proxy.ts'
import { claimsOf, clientSignatureOf, loginsOf, passcodeFor, signUpSignatureOf } from '../support/logins.ts'
import { expectRefused, newUser, organizationOf, startOrganization } from '../support/organization.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** A code proves a contact of the users who had it when the code was sent, and of nobody who gets it afterwards. */

const organization = await startOrganization()
const { server, clock, rootUserId, done, submit } = organization
const allowed = { operations: ['account', 'otp_init_v2', 'otp_verify_v2', 'otp_login_v2'], appName: 'Acme' }
await done('enable_auth_proxy', { ...allowed, allowedOrigins: [proxyOrigin] })
const { ask, asked, stampLogin } = proxyOf(organization)
const { tokenFor, startFlow, encrypted } = await loginsOf(organization)
const child = organizationOf(organization, await organization.subOrganization())

let count = 0
const newContact = () => `moved${++count}@example.org`
const newNumber = () => `+1415556${1000 + ++count}`
const later = (minutes = 50) => {
  clock.nowMs += minutes * 60_000
}
const keyOf = () => generateApiKey()
const newMailUser = async (userEmail: string): Promise<string> =>
  (await done('create_users', { users: [newUser({ userEmail })] })).userIds[0]

function loginOf({ token, key }: Proved, organizationId = organization.organizationId) {
  const { publicKey } = generateApiKey()
  const clientSignature = clientSignatureOf({ verificationToken: token, clientKey: key, publicKey })
  return [{ verificationToken: token, publicKey, clientSignature }, { organizationId }] as const
}
const login = (...of: Parameters<typeof loginOf>) => submit('otp_login', ...loginOf(...of))

type Proved = { readonly token: string; readonly key: ApiKeyPair }
const prove = async (contact: string, key = keyOf()): Promise<Proved> => {
  const start = contact.startsWith('+') ? { otpType: 'OTP_TYPE_SMS' } : {}
  return { token: await tokenFor(contact, key, start), key }
}

const gotIt = 'its code was sent before this user had the contact'

/** The user gets the contact after somebody else has proved it. */
const moves: Readonly<Record<string, () => Promise<Proved>>> = {
  'an address that a root user gets': async () => {
    const userEmail = newContact()
    const proved = await prove(userEmail)
    later()
    await done('update_user_email', { userId: rootUserId, userEmail })
    return proved
  },
  'a number that a root user gets': async () => {
    const userPhoneNumber = newNumber()
    const proved = await prove(userPhoneNumber)
    later()
    await done('update_user_phone_number', { userId: rootUserId, userPhoneNumber })
    return proved
  },
  'the address of a new user': async () => {
    const contact = newContact()
    const proved = await prove(contact)
    later()
    await newMailUser(contact)
    return proved
  },
  'an address that its user has lost and got back': async () => {
    const userEmail = newContact()
    const userId = await newMailUser(userEmail)
    const proved = await prove(userEmail)
    later(10)
    await done('update_user_email', { userId, userEmail: newContact() })
    later(10)
    await done('update_user_email', { userId, userEmail })
    return proved
  },
  'an address that its user proves by another code': async () => {
    const userEmail = newContact()
    const proved = await prove(userEmail)
    later(10)
    const userId = await newMailUser(newContact())
    const { token: verificationToken } = await prove(userEmail)
    await done('update_user_email', { userId, userEmail, verificationToken })
    return proved
  },
  'an address that moves between a code and its verification': async () => {
    const [contact, key] = [newContact(), keyOf()]
    const flow = await startFlow(contact)
    const bundle = await encrypted(flow, await passcodeFor(server, contact), key)
    later(1)
    await newMailUser(contact)
    const { verificationToken } = await done('verify_otp', { otpId: flow.otpId, encryptedOtpBundle: bundle })
    return { token: verificationToken, key }
  },
  'an address that many changes follow': async () => {
    const userEmail = newContact()
    const userId = await newMailUser(newContact())
    const proved = await prove(userEmail)
    later(1)
    await done('update_user_email', { userId, userEmail })
    for (const userName of ['first', 'second']) {
      later(1)
      await done('update_user_name', { userId, userName })
    }
    return proved
  },
}

describe.each(Object.keys(moves))('a token from before, of %s', (move) => {
  test('opens no session, and one of a new code does', async () => {
    const proved = await moves[move]?.()
    if (proved === undefined) throw new Error('there is no such move')
    expectRefused(await login(proved), 400, gotIt)
    const [parameters] = loginOf(proved)
    expectRefused(await ask('otp_login_v2', parameters), 404, 'nobody here has the contact')
    expectRefused(await stampLogin(proved.token, proved.key), 401)
    later(4)
    const again = await prove(claimsOf(proved.token).contact)
    expect((await stampLogin(again.token, again.key)).status).toBe(200)
  })
})

test('the proxy does not find the account of a user who got the contact afterwards', async () => {
  const [filterValue, filterType] = [newContact(), 'EMAIL']
  const { token: verificationToken } = await prove(filterValue)
  later()
  await newMailUser(filterValue)
  expect(await asked('account', { filterType, filterValue, verificationToken })).toEqual({})
})

/** The request that signs up with a token. */
function signUpOf(userEmail: string, { token: verificationToken, key }: Proved) {
  const { userTags: _, ...rootUser } = newUser({ userEmail })
  const clientSignature = signUpSignatureOf(verificationToken, key, rootUser)
  const made = { subOrganizationName: userEmail, rootUsers: [rootUser], rootQuorumThreshold: 1 }
  return { ...made, verificationToken, clientSignature }
}

test('the token of a sign-up logs in whom it made, and a token from before it does not', async () => {
  const contact = newContact()
  const former = await prove(contact)
  later(10)
  const own = await prove(contact)
  later(10)
  const { subOrganizationId } = await done('create_sub_organization', signUpOf(contact, own))
  later(1)
  expectRefused(await login(former, subOrganizationId), 400, gotIt)
  expectRefused(await stampLogin(former.token, former.key), 401)
  expect((await login(own, subOrganizationId)).status).toBe(200)
})

test('the token of a sign-up stamps for whom it made', async () => {
  const contact = newContact()
  const own = await prove(contact)
  later(10)
  await done('create_sub_organization', signUpOf(contact, own))
  expect((await stampLogin(own.token, own.key)).status).toBe(200)
})

test('a token logs in whom the parent makes within minutes of its code, and nobody whom it makes later', async () => {
  const made = async (minutes: number) => {
    const userEmail = newContact()
    const own = await prove(userEmail)
    later(minutes)
    const { userTags: _, ...rootUser } = newUser({ userEmail })
    const named = { subOrganizationName: userEmail, rootUsers: [rootUser], rootQuorumThreshold: 1 }
    const { subOrganizationId } = await done('create_sub_organization', named)
    return login(own, subOrganizationId)
  }
  expect((await made(14)).status).toBe(200)
  expectRefused(await made(16), 400, gotIt)
})

test('a token that gave its user the address was used by that, and one of a sub-organization holds there', async () => {
  const userEmail = newContact()
  const own = await prove(userEmail)
  later(10)
  await done('update_user_email', { userId: rootUserId, userEmail, verificationToken: own.token })
  expectRefused(await login(own), 400, 'it was used before')
  const inChild = newContact()
  const former = await prove(inChild)
  later(10)
  await child.done('update_user_email', { userId: child.rootUserId, userEmail: inChild })
  expectRefused(await login(former, child.organizationId), 400, gotIt)
})

test('another spelling of the same mailbox, and changes of others, end no token', async () => {
  const userEmail = newContact()
  const userId = await newMailUser(userEmail)
  later(1)
  const proved = await prove(userEmail)
  later(1)
  await done('update_user_email', { userId, userEmail: userEmail.toUpperCase().replace('EXAMPLE.ORG', 'example.org') })
  await done('update_user_name', { userId, userName: 'renamed' })
  expect((await login(proved)).status).toBe(200)
})
