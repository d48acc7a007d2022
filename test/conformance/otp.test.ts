import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ApiKeyStamper, SignatureFormat } from '@turnkey/api-key-stamper'
import {
  encryptOtpCodeToBundle,
  generateP256KeyPair,
  verifyOtpVerificationToken,
  verifySessionJwtSignature,
} from '@turnkey/crypto'
import type { TurnkeyApiClient } from '@turnkey/sdk-server'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { baseUrls, dialects, serverClient } from '../support/clients.ts'
import { organizationOver, passcodeInFolder } from '../support/http_organization.ts'
import { claimsOf, passcodeIn, verifiedByJose, verifiedByKeySet } from '../support/logins.ts'
import { expectRefused, type Parameters } from '../support/organization.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'
import { databaseText } from '../support/server_database.ts'
import { type MailServer, startMailServer } from '../support/smtp_server.ts'

/**
 * Logins by passcode: the mail comes over SMTP, and the clients' own packages do the rest with the keys that the running
 * server publishes.
 */

let mailServer: MailServer
let server: RunningServer
let keys: Readonly<Record<'tlsFetcherSigning' | 'sessionSigning', { readonly uncompressed: string }>>
beforeAll(async () => {
  mailServer = await startMailServer()
  const flags = ['--smtp-url', `smtp://127.0.0.1:${mailServer.port}`, '--log-level', 'debug']
  server = await startRunningServer({ flags })
  keys = await (await fetch(`${server.url}/.well-known/claviger-keys.json`)).json()
})
afterAll(async () => {
  await server.stop()
  await mailServer.close()
})

/** Every passcode that was sent. */
const passcodes: string[] = []

/** The passcode in the first mail to a contact. */
async function passcodeSentTo(contact: string): Promise<string> {
  for (let mails = 1; ; mails += 1) {
    const received = (await mailServer.arrived(mails)).find(({ to }) => to.includes(contact))
    if (received === undefined) continue
    const passcode = passcodeIn(received.mail.text ?? '')
    passcodes.push(passcode)
    return passcode
  }
}

type KeyPair = { readonly publicKey: string; readonly privateKey: string }
type Place = { readonly organizationId?: string }

/** As the clients' kits make it: raw r and s over the message's bytes. */
async function clientSignatureOf(verificationToken: string, clientKey: KeyPair, publicKey: string) {
  const { id: tokenId } = claimsOf(verificationToken)
  const message = JSON.stringify({ login: { publicKey }, tokenId, type: 'USAGE_TYPE_LOGIN' })
  const stamper = new ApiKeyStamper({ apiPublicKey: clientKey.publicKey, apiPrivateKey: clientKey.privateKey })
  return {
    publicKey: clientKey.publicKey,
    scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256' as const,
    message,
    signature: await stamper.sign(message, SignatureFormat.Raw),
  }
}

let count = 0

describe.each(dialects)('@turnkey/sdk-server and @turnkey/crypto against the dialect %s', (dialect) => {
  let client: TurnkeyApiClient
  beforeAll(() => {
    client = serverClient(server, dialect)
  })

  /** A user whom mail reaches at an address of its own, and who has no credential. */
  async function newUser() {
    const contact = `user${++count}@example.org`
    const user = { userName: 'Ada', userEmail: contact, apiKeys: [], authenticators: [], oauthProviders: [] }
    const { userIds } = await client.createUsers({ users: [{ ...user, userTags: [] }] })
    return { contact, userId: userIds[0] ?? '' }
  }

  /** In the client's own organization unless `place` says otherwise. */
  const startFlow = (contact: string, place: Place = {}) =>
    client.initOtp({ otpType: 'OTP_TYPE_EMAIL', contact, appName: 'Test', ...place })

  const encrypted = (passcode: string, target: string, { publicKey }: KeyPair) =>
    encryptOtpCodeToBundle(passcode, target, publicKey, keys.tlsFetcherSigning.uncompressed)

  async function tokenFor(contact: string, clientKey: KeyPair, place: Place = {}): Promise<string> {
    const { otpId, otpEncryptionTargetBundle } = await startFlow(contact, place)
    const passcode = await passcodeSentTo(contact)
    const encryptedOtpBundle = await encrypted(passcode, otpEncryptionTargetBundle, clientKey)
    return (await client.verifyOtp({ otpId, encryptedOtpBundle, ...place })).verificationToken
  }

  /** What `otpLogin` takes, and the key that it will log in. */
  async function loginWith(verificationToken: string, clientKey: KeyPair) {
    const sessionKey: KeyPair = generateP256KeyPair()
    const { publicKey } = sessionKey
    const clientSignature = await clientSignatureOf(verificationToken, clientKey, publicKey)
    return { sessionKey, parameters: { verificationToken, publicKey, clientSignature } }
  }

  /** Of the user with the contact; only the first mail to a contact is read. */
  async function newLogin(contact: string) {
    const clientKey: KeyPair = generateP256KeyPair()
    return loginWith(await tokenFor(contact, clientKey), clientKey)
  }

  /** A client that stamps with the session's key. */
  function clientOf({ publicKey, privateKey }: KeyPair, place: Place = {}): TurnkeyApiClient {
    const { organizationId } = { ...server.credentials, ...place }
    return serverClient(server, dialect, { apiPublicKey: publicKey, apiPrivateKey: privateKey, organizationId })
  }

  const readMail = (contact: string) => mailServer.received.find(({ to }) => to.includes(contact))?.mail

  test('verify_otp, otp_login: the passcode in the mail gives a token, the token a session, whose key stamps requests', async () => {
    const { contact, userId } = await newUser()
    const { organizationId } = server.credentials
    const clientKey: KeyPair = generateP256KeyPair()
    const verificationToken = await tokenFor(contact, clientKey)
    expect(readMail(contact)).toMatchObject({ subject: 'Your passcode for Test' })
    const claims = {
      id: expect.any(String),
      organization_id: organizationId,
      verification_type: 'OTP_TYPE_EMAIL',
      contact,
      public_key: clientKey.publicKey,
      code_sent_at: expect.any(Number),
    }
    const { tlsFetcherSigning } = keys
    if (dialect === 'hosted') {
      const verified = await verifyOtpVerificationToken(verificationToken, tlsFetcherSigning.uncompressed)
      expect(verified).toEqual({ ...claims, exp: expect.stringMatching(/^\d{13}$/) })
    } else {
      expect(await verifiedByJose(verificationToken, tlsFetcherSigning)).toEqual({ ...claims, exp: expect.any(Number) })
      expect(await verifiedByKeySet(verificationToken, server)).toMatchObject(claims)
    }

    const { sessionKey, parameters } = await loginWith(verificationToken, clientKey)
    const { session, activity } = await client.otpLogin(parameters)
    expect(activity).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED', intent: { otpLoginIntentV2: parameters } })
    const sessionClaims = {
      public_key: sessionKey.publicKey,
      session_type: 'SESSION_TYPE_READ_WRITE',
      user_id: userId,
      organization_id: organizationId,
      exp: expect.any(Number),
    }
    expect(claimsOf(session)).toEqual(sessionClaims)
    const { sessionSigning } = keys
    if (dialect === 'hosted') {
      expect(await verifySessionJwtSignature(session, sessionSigning.uncompressed)).toBe(true)
      expect(await verifySessionJwtSignature(session, tlsFetcherSigning.uncompressed)).toBe(false)
    } else {
      expect(await verifiedByJose(session, sessionSigning)).toEqual(sessionClaims)
      expect(await verifiedByKeySet(session, server)).toEqual(sessionClaims)
      await expect(verifiedByJose(session, tlsFetcherSigning)).rejects.toThrow('signature verification failed')
    }

    const logged = clientOf(sessionKey)
    expect(await logged.getWhoami()).toMatchObject({ organizationId, userId, username: 'Ada' })
    const { apiKeys } = await logged.getApiKeys({ userId })
    expect(apiKeys.map(({ credential }) => credential)).toEqual([
      { publicKey: sessionKey.publicKey, type: 'CREDENTIAL_TYPE_LOGIN' },
    ])
    // It is a key of the user, who may change what is its own.
    const own = {
      apiKeyName: 'own',
      publicKey: generateP256KeyPair().publicKey,
      curveType: 'API_KEY_CURVE_P256' as const,
    }
    expect((await logged.createApiKeys({ userId, apiKeys: [own] })).apiKeyIds).toHaveLength(1)
  })

  test('verify_otp, otp_login: a backend logs the user of a sub-organization in, by a passcode of either organization', async () => {
    const contact = `user${++count}@example.org`
    const clientKey: KeyPair = generateP256KeyPair()
    const parentToken = await tokenFor(contact, clientKey)
    const { subOrganizationId: organizationId, rootUserIds } = await client.createSubOrganization({
      subOrganizationName: contact,
      rootUsers: [{ userName: 'Ada', userEmail: contact, apiKeys: [], authenticators: [], oauthProviders: [] }],
      rootQuorumThreshold: 1,
    })
    const filter = { filterType: 'EMAIL', filterValue: contact }
    expect((await client.getSubOrgIds(filter)).organizationIds).toEqual([organizationId])
    const expectLogin = async (verificationToken: string) => {
      const { sessionKey, parameters } = await loginWith(verificationToken, clientKey)
      const { session } = await client.otpLogin({ ...parameters, organizationId })
      expect(claimsOf(session)).toMatchObject({ organization_id: organizationId, user_id: rootUserIds?.[0] })
      const logged = clientOf(sessionKey, { organizationId })
      expect(await logged.getWhoami()).toMatchObject({ organizationId, userId: rootUserIds?.[0] })
      return logged
    }
    const logged = await expectLogin(parentToken)
    expect((await logged.createWallet({ walletName: 'Hers', accounts: [] })).walletId).toMatch(/-/)

    // Only the first mail to a contact is read.
    const moved = `user${++count}@example.org`
    await logged.updateUserEmail({ userId: rootUserIds?.[0] ?? '', userEmail: moved })
    await expectLogin(await tokenFor(moved, clientKey, { organizationId }))
  })

  test('a session of one second is over after it', async () => {
    const { contact } = await newUser()
    const { sessionKey, parameters } = await newLogin(contact)
    const { session } = await client.otpLogin({ ...parameters, expirationSeconds: '1' })
    // The claim is in whole seconds, rounded down.
    while (Date.now() < (claimsOf(session).exp + 1) * 1_000) await setTimeout(50)
    await expect(clientOf(sessionKey).getWhoami()).rejects.toThrow(/^Turnkey error 16: .*expired api key publicKey/)
  })

  test("invalidateExisting ends the user's other sessions, and nobody else's", async () => {
    const { contact, userId } = await newUser()
    const other = await newLogin((await newUser()).contact)
    await client.otpLogin(other.parameters)
    const first = await newLogin(contact)
    await client.otpLogin(first.parameters)
    const moved = `user${++count}@example.org`
    await client.updateUserEmail({ userId, userEmail: moved })
    const second = await newLogin(moved)
    await client.otpLogin({ ...second.parameters, invalidateExisting: true })
    await expect(clientOf(first.sessionKey).getWhoami()).rejects.toThrow('Turnkey error 16: could not find public key')
    for (const { sessionKey } of [second, other]) expect((await clientOf(sessionKey).getWhoami()).username).toBe('Ada')
  })

  test('of logins that race for one token one gets a session, and the others nothing', async () => {
    const { contact, userId } = await newUser()
    const clientKey: KeyPair = generateP256KeyPair()
    const verificationToken = await tokenFor(contact, clientKey)
    const logins = await Promise.all([1, 2, 3].map(() => loginWith(verificationToken, clientKey)))
    const settled = await Promise.allSettled(logins.map(({ parameters }) => client.otpLogin(parameters)))
    const refusals = settled.flatMap((one) => (one.status === 'rejected' ? [String(one.reason.message)] : []))
    expect(refusals).toEqual([1, 2].map(() => expect.stringContaining('it was used before')))
    const winner = settled.findIndex(({ status }) => status === 'fulfilled')
    for (const [index, { sessionKey }] of logins.entries()) {
      const asked = clientOf(sessionKey).getWhoami()
      if (index === winner) expect(await asked).toMatchObject({ userId })
      else await expect(asked).rejects.toThrow('Turnkey error 16: could not find public key')
    }
    await expect(client.otpLogin((await loginWith(verificationToken, clientKey)).parameters)).rejects.toThrow(
      'it was used before',
    )
  })

  test('three wrong passcodes, and the right one is refused too', async () => {
    const { contact } = await newUser()
    const clientKey: KeyPair = generateP256KeyPair()
    const { otpId, otpEncryptionTargetBundle } = await startFlow(contact)
    const passcode = await passcodeSentTo(contact)
    const attempt = async (typed: string) =>
      client.verifyOtp({ otpId, encryptedOtpBundle: await encrypted(typed, otpEncryptionTargetBundle, clientKey) })
    const wrong = passcode.replace(/^./, (first) => (first === '7' ? '8' : '7'))
    for (const typed of [wrong, wrong, wrong, passcode]) {
      await expect(attempt(typed)).rejects.toThrow(/^Turnkey error 3: .*Invalid OTP code/)
    }
  })

  test('the older types, by raw requests, log a user in with and without a key of the client', async () => {
    const { credentials } = server
    const { organizationId, post, freshTimestampMs } = organizationOver({
      url: baseUrls(server)[dialect],
      credentials,
    })
    const submit = (name: string, type: string, parameters: Parameters) =>
      post(`/public/v1/submit/${name}`, { type, timestampMs: String(freshTimestampMs()), organizationId, parameters })
    const result = async (asked: ReturnType<typeof submit>) => {
      const { status, body } = await asked
      expect(status, JSON.stringify(body)).toBe(200)
      return body.activity.result
    }
    const clientKey: KeyPair = generateP256KeyPair()
    for (const [initType, given, key] of [
      ['ACTIVITY_TYPE_INIT_OTP', { emailCustomization: { appName: 'Test' } }, undefined],
      ['ACTIVITY_TYPE_INIT_OTP', {}, clientKey],
      ['ACTIVITY_TYPE_INIT_OTP_V2', { appName: 'Test' }, clientKey],
    ] as const) {
      const { contact, userId } = await newUser()
      const start = { otpType: 'OTP_TYPE_EMAIL', contact, ...given }
      const { initOtpResult } = await result(submit('init_otp', initType, start))
      expect(initOtpResult).toStrictEqual({ otpId: expect.any(String) })
      const otpCode = await passcodeSentTo(contact)
      const verify = { ...initOtpResult, otpCode, ...(key === undefined ? {} : { publicKey: key.publicKey }) }
      const verified = await result(submit('verify_otp', 'ACTIVITY_TYPE_VERIFY_OTP', verify))
      const { verificationToken } = verified.verifyOtpResult
      expect(claimsOf(verificationToken).public_key).toBe(key?.publicKey)
      const sessionKey: KeyPair = generateP256KeyPair()
      const { publicKey } = sessionKey
      const login = { verificationToken, publicKey }
      const signed = key && { clientSignature: await clientSignatureOf(verificationToken, key, publicKey) }
      if (signed !== undefined) {
        expectRefused(await submit('otp_login', 'ACTIVITY_TYPE_OTP_LOGIN', login), 400, 'parameters.clientSignature')
      }
      const { otpLoginResult } = await result(submit('otp_login', 'ACTIVITY_TYPE_OTP_LOGIN', { ...login, ...signed }))
      expect(claimsOf(otpLoginResult.session)).toMatchObject({ user_id: userId, public_key: publicKey })
      expect(await clientOf(sessionKey).getWhoami()).toMatchObject({ userId })
    }
  })
})

test('no passcode stands in the log, in the database or in any file of the server, neither while it runs nor afterwards', async () => {
  expect(passcodes.length).toBeGreaterThan(15)
  const contacts = mailServer.received.flatMap(({ to }) => to)
  expectNowhere(server)
  await server.stop()
  expectNowhere(server)
  // Were the search wrong, or nothing logged, it would find nothing that stands there in plain either.
  expect(filesOf(server).get('the database')?.includes(server.credentials.organizationId)).toBe(true)
  await expect.poll(() => server.complaints.join('\n'), { timeout: 10_000 }).toContain('a message was delivered')
  expect(server.complaints.filter((line) => contacts.some((contact) => line.includes(contact)))).toEqual([])
})

test('without SMTP the mail is the only file with the passcode', async () => {
  const own = await startRunningServer()
  onTestFinished(() => own.stop())
  const contact = 'ada@example.org'
  await serverClient(own).initOtp({ otpType: 'OTP_TYPE_EMAIL', contact, appName: 'Test' })
  const passcode = await passcodeInFolder(own, contact)
  for (const stop of [async () => {}, own.stop]) {
    await stop()
    const names = [...filesOf(own)].flatMap(([name, bytes]) => (bytes.includes(passcode) ? [name] : []))
    expect(names).toEqual([expect.stringMatching(/\.eml$/)])
  }
  expect([...own.lines, ...own.complaints].filter((line) => line.includes(passcode))).toEqual([])
})

/** The files of a server, and what its database holds. */
function filesOf({ folder }: RunningServer): ReadonlyMap<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const files = entries.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name))] as const)
  return new Map([...files, ['the database', Buffer.from(databaseText(folder), 'latin1')]])
}

function expectNowhere(running: RunningServer): void {
  const places = new Map(filesOf(running)).set(
    'the log',
    Buffer.from([...running.lines, ...running.complaints].join('\n')),
  )
  for (const passcode of passcodes) {
    for (const encoding of ['utf8', 'hex', 'base64'] as const) {
      const text = Buffer.from(passcode).toString(encoding)
      for (const [place, bytes] of places) expect(bytes.includes(text), `${passcode} in ${place}`).toBe(false)
    }
  }
}
