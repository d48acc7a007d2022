import { expect, test } from 'vitest'
import { proxyOf } from '../support/auth_proxy.ts'
import { loginsBy, loginsOf, passcodeFor } from '../support/logins.ts'
import { expectRefused, organizationOf, type Parameters, startOrganization } from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** Contacts of a sub-organization by which its parent finds it: only a code of the parent verifies them. */

const organization = await startOrganization()
const { server, clock, done, found, subOrganization } = organization
await done('enable_auth_proxy', {
  operations: ['account', 'otp_init_v2', 'otp_verify_v2', 'otp_login_v2'],
  allowedOrigins: ['*'],
  appName: 'Acme',
})
const { ask, asked, throughProxy, stampLogin } = proxyOf(organization)
const signer = (await server.vault.publishedKeys()).tlsFetcherSigning?.uncompressed ?? ''
const passcodeSentTo = (contact: string) => passcodeFor(server, contact)
const ofProxy = loginsBy({ done: throughProxy, signer, passcodeSentTo })
const ofParent = await loginsOf(organization)

/** A sub-organization whose user asks for the weakest codes that there are. */
async function newChild() {
  const child = organizationOf(organization, await subOrganization())
  const easy = { otpLength: 6, alphanumeric: false }
  const weak = (name: string, given: Parameters) =>
    child.done(name, name === 'init_otp' ? { ...given, ...easy } : given)
  return { ...child, ...loginsBy({ done: weak, signer, passcodeSentTo }) }
}
type Child = Awaited<ReturnType<typeof newChild>>

const setEmail = ({ done, rootUserId }: Child, userEmail: string, verificationToken?: string) =>
  done('update_user_email', { userId: rootUserId, userEmail, verificationToken })
const proveToParent = async (child: Child, contact: string) =>
  setEmail(child, contact, await ofParent.tokenFor(contact, generateApiKey()))
const proveToItself = async (child: Child, contact: string) =>
  setEmail(child, contact, await child.tokenFor(contact, generateApiKey()))
const verifiedIn = async (filterValue: string) =>
  (await found('list_verified_suborgs', { filterType: 'EMAIL', filterValue })).organizationIds
/** There are three codes in three minutes. */
const later = () => {
  clock.nowMs += 180_000
}

test('who guesses a code of another sub-organization is in nobody’s way at the proxy', async () => {
  const [victim, attacker] = [await newChild(), await newChild()]
  const contact = 'victim@example.org'
  await proveToParent(victim, contact)
  await proveToItself(attacker, contact)
  const { parameters } = await ofProxy.loginFor(contact)
  await asked('otp_login_v2', parameters)
  expect(await verifiedIn(contact)).toEqual([victim.organizationId])
})

test.each<[string, (child: Child, contact: string) => Promise<unknown>]>([
  ['an address that it sets', proveToItself],
  [
    'an address by which it logs in',
    async (child, contact) => {
      await setEmail(child, contact)
      await child.done('otp_login', (await child.loginFor(contact)).parameters)
    },
  ],
])('a code of the sub-organization verifies no address for the parent: %s', async (name, prove) => {
  const [child, contact] = [await newChild(), `${name.replaceAll(' ', '-')}@example.org`]
  await prove(child, contact)
  expect(await verifiedIn(contact)).toEqual([])
  const { parameters } = await ofProxy.loginFor(contact)
  expectRefused(await ask('otp_login_v2', parameters), 404, 'nobody here has the contact')
  const key = generateApiKey()
  expectRefused(await stampLogin(await ofProxy.tokenFor(contact, key), key), 401, 'no user of this organization')
  later()
  // Its own codes go on to log its users in.
  await child.done('otp_login', (await child.loginFor(contact)).parameters)
  await proveToParent(child, contact)
  await asked('otp_login_v2', (await ofProxy.loginFor(contact)).parameters)
})

test('nor a phone number', async () => {
  const [{ rootUserId: userId, ...child }, phone] = [await newChild(), '+14155550188']
  const sms = { otpType: 'OTP_TYPE_SMS' }
  for (const [by, verified] of [
    [child, []],
    [ofParent, [child.organizationId]],
  ] as const) {
    const verificationToken = await by.tokenFor(phone, generateApiKey(), sms)
    await child.done('update_user_phone_number', { userId, userPhoneNumber: phone, verificationToken })
    const listed = await found('list_verified_suborgs', { filterType: 'PHONE_NUMBER', filterValue: phone })
    expect(listed.organizationIds).toEqual(verified)
  }
})

test('what the parent has verified stays so, also when the sub-organization sends a code there', async () => {
  const [child, contact] = [await newChild(), 'twice@example.org']
  await proveToParent(child, contact)
  await proveToItself(child, contact)
  expect(await verifiedIn(contact)).toEqual([child.organizationId])
})

test('a token of the sub-organization about another contact is refused there, and stays valid', async () => {
  const child = await newChild()
  const token = await child.tokenFor('mine@example.org', generateApiKey())
  const parameters = { userId: child.rootUserId, userEmail: 'other@example.org', verificationToken: token }
  expectRefused(await child.submit('update_user_email', parameters), 400, 'one about the contact in this request')
  await setEmail(child, 'mine@example.org', token)
  expectRefused(await child.submit('update_user_email', { ...parameters, userEmail: 'mine@example.org' }), 400, 'used')
})
