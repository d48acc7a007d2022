import { describe, expect, test } from 'vitest'
import { proxyOf, proxyOrigin } from '../support/auth_proxy.ts'
import { loginsBy, loginsOf, passcodeFor, signUpSignatureOf } from '../support/logins.ts'
import { expectRefused, newUser, organizationOf, type Parameters, startOrganization } from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** A verification token that the auth proxy gave out is good while the proxy takes codes, whoever stamps its use. */

const organization = await startOrganization()
const { server, rootUserId, done, submit, clock } = organization
const operations = ['account', 'otp_init_v2', 'otp_verify_v2', 'otp_login_v2']
const enable = (more: Parameters = {}) =>
  done('enable_auth_proxy', { operations, allowedOrigins: [proxyOrigin], appName: 'Acme', ...more })
await enable()

const { ask, throughProxy, stampLogin } = proxyOf(organization)
const ofBackend = await loginsOf(organization)
const ofProxy = loginsBy({
  done: throughProxy,
  signer: (await server.vault.publishedKeys()).tlsFetcherSigning?.uncompressed ?? '',
  passcodeSentTo: (contact) => passcodeFor(server, contact),
})
const child = await organization.subOrganization()
const inChild = organizationOf(organization, child)

let count = 0
const newContact = () => `token${++count}@example.net`
type Tokens = Pick<typeof ofProxy, 'tokenFor' | 'loginFor'>

/** Each use of a token: the request that takes it. */
const uses: Readonly<Record<string, (tokens: Tokens) => Promise<() => ReturnType<typeof submit>>>> = {
  'a stamped login': async ({ loginFor }) => {
    const contact = newContact()
    await done('create_users', { users: [newUser({ userEmail: contact })] })
    const { parameters } = await loginFor(contact)
    return () => submit('otp_login', parameters)
  },
  'a stamped login in a sub-organization': async ({ loginFor }) => {
    const contact = newContact()
    await inChild.done('create_users', { users: [newUser({ userEmail: contact })] })
    const { parameters } = await loginFor(contact)
    return () => submit('otp_login', parameters, { organizationId: child.organizationId })
  },
  'a login that stamps with the token': async ({ tokenFor }) => {
    const contact = newContact()
    await done('create_users', { users: [newUser({ userEmail: contact })] })
    const key = generateApiKey()
    const token = await tokenFor(contact, key)
    return () => stampLogin(token, key)
  },
  'a sign-up': async ({ tokenFor }) => {
    const [contact, clientKey] = [newContact(), generateApiKey()]
    const verificationToken = await tokenFor(contact, clientKey)
    const { userTags: _, ...rootUser } = newUser({ userEmail: contact })
    const clientSignature = signUpSignatureOf(verificationToken, clientKey, rootUser)
    const named = { subOrganizationName: contact, rootUsers: [rootUser], rootQuorumThreshold: 1 }
    return () => submit('create_sub_organization', { ...named, verificationToken, clientSignature })
  },
  'a new address': async ({ tokenFor }) => {
    const userEmail = newContact()
    const verificationToken = await tokenFor(userEmail, generateApiKey())
    return () => submit('update_user_email', { userId: rootUserId, userEmail, verificationToken })
  },
  'a new address in a sub-organization': async ({ tokenFor }) => {
    const userEmail = newContact()
    const verificationToken = await tokenFor(userEmail, generateApiKey())
    const given = { userId: child.rootUserId, userEmail, verificationToken }
    return () => inChild.submit('update_user_email', given)
  },
  'a question for the account': async ({ tokenFor }) => {
    const contact = newContact()
    const verificationToken = await tokenFor(contact, generateApiKey())
    return () => ask('account', { filterType: 'EMAIL', filterValue: contact, verificationToken })
  },
}

const ends: Readonly<Record<string, () => Promise<unknown>>> = {
  'is disabled': () => done('disable_auth_proxy', {}),
  'takes codes no more': () =>
    done('update_auth_proxy_config', {
      operations: ['account', 'otp_init_v2', 'otp_login_v2'],
      allowedOrigins: [proxyOrigin],
      appName: 'Acme',
    }),
}

describe.each(Object.keys(ends))('once the proxy %s', (end) => {
  test.each(Object.keys(uses))(
    'its token is refused by %s, also when the proxy is enabled again, and that of a backend is good',
    async (use) => {
      const [send, sendOther] = [await uses[use]?.(ofProxy), await uses[use]?.(ofBackend)]
      await ends[end]?.()
      const isClosed = use === 'a question for the account' && end === 'is disabled'
      const refused = await send?.()
      expect(refused?.status, JSON.stringify(refused?.body)).toBeGreaterThanOrEqual(400)
      expect(refused?.body.message).toContain(
        isClosed ? 'no organization has an auth proxy' : 'was disabled, or takes no codes',
      )
      if (!isClosed) expect((await sendOther?.())?.status).toBe(200)
      clock.nowMs += 1
      await enable()
      const refusedAgain = await send?.()
      expect(refusedAgain?.status, JSON.stringify(refusedAgain?.body)).toBeGreaterThanOrEqual(400)
      expect(refusedAgain?.body.message).toContain('was disabled, or takes no codes')
      const sendNew = await uses[use]?.(ofProxy)
      // Another setting of an open proxy ends no token.
      await enable({ otpLength: 8 })
      expect((await sendNew?.())?.status).toBe(200)
    },
  )
})

test.each(Object.keys(ends))(
  'a code that was sent before the proxy %s is no good at the proxy afterwards',
  async (end) => {
    const { startFlow, encrypted } = ofProxy
    const codeFor = async () => {
      const flow = await startFlow(newContact())
      const code = await passcodeFor(server, flow.contact)
      return { otpId: flow.otpId, encryptedOtpBundle: await encrypted(flow, code, generateApiKey()) }
    }
    const before = await codeFor()
    await ends[end]?.()
    clock.nowMs += 1
    await enable()
    expectRefused(await ask('otp_verify_v2', before), 400, 'Invalid OTP code')
    const after = await codeFor()
    await enable({ otpLength: 8 })
    expect((await ask('otp_verify_v2', after)).status).toBe(200)
  },
)

test('a token of a contact that its user has lost logs nobody in', async () => {
  const contact = newContact()
  const [userId] = (await done('create_users', { users: [newUser({ userEmail: contact })] })).userIds
  const { parameters } = await ofProxy.loginFor(contact)
  const key = generateApiKey()
  const token = await ofProxy.tokenFor(contact, key)
  await done('update_user_email', { userId, userEmail: newContact() })
  expectRefused(await submit('otp_login', parameters), 404, 'no user of this organization has the contact')
  expectRefused(await ask('otp_login_v2', parameters), 404, 'nobody here has the contact')
  expectRefused(await stampLogin(token, key), 401)
})
