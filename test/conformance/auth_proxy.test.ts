import { createRequire } from 'node:module'
import { encryptOtpCodeToBundle } from '@turnkey/crypto'
import { beforeAll, expect, test } from 'vitest'
import { organizationOver, passcodeInFolder } from '../support/http_organization.ts'
import { claimsOf, clientSignatureOf } from '../support/logins.ts'
import { newUser } from '../support/organization.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'
import { generateApiKey } from '../support/stamping.ts'

/** The clients' kit, as the signer for viem brings it, asks the auth proxy of a running server over HTTP. */

const { TurnkeyClient, getAuthProxyConfig, getClientParams } = createRequire(
  createRequire(import.meta.url).resolve('@turnkey/viem'),
)('@turnkey/core')

let server: ReachableServer
let signer: string
beforeAll(async () => {
  server = await organizationOnSharedServer()
  const keys = await (await fetch(`${server.url}/.well-known/claviger-keys.json`)).json()
  signer = keys.tlsFetcherSigning.uncompressed
})

test('the kit learns how to log in, proves a contact, finds the account and logs in', async () => {
  const { organizationId, done, found } = organizationOver(server)
  const operations = [
    'account',
    'otp_init_v2',
    'otp_verify_v2',
    'otp_login_v2',
    'wallet_kit_client_params',
    'wallet_kit_config',
  ]
  await done('enable_auth_proxy', { operations, allowedOrigins: ['*'], appName: 'Kit' })
  const contact = 'kit@example.org'
  const [userId] = (await done('create_users', { users: [newUser({ userEmail: contact })] })).userIds

  const authProxyUrl = `${server.url}/hosted`
  expect(await getAuthProxyConfig(organizationId, authProxyUrl)).toMatchObject({ organizationId, otpLength: '9' })
  expect(await getClientParams(organizationId, authProxyUrl)).toEqual({})
  const client = new TurnkeyClient({
    ...{ apiBaseUrl: authProxyUrl, authProxyUrl, authProxyConfigId: organizationId, organizationId },
  })
  client.httpClient = client.createHttpClient()
  const { otpId, otpEncryptionTargetBundle } = await client.initOtp({ otpType: 'OTP_TYPE_EMAIL', contact })
  const clientKey = generateApiKey()
  const passcode = await passcodeInFolder(server, contact)
  // The kit's own verifyOtp insists on the key of the provider.
  const bundle = await encryptOtpCodeToBundle(passcode, otpEncryptionTargetBundle, clientKey.publicKey, signer)
  const { verificationToken } = await client.httpClient.proxyVerifyOtpV2({ otpId, encryptedOtpBundle: bundle })
  const account = { filterType: 'EMAIL', filterValue: contact, verificationToken }
  expect(await client.httpClient.proxyGetAccount(account)).toEqual({ organizationId })
  const { publicKey } = clientKey
  const clientSignature = clientSignatureOf({ verificationToken, clientKey, publicKey })
  const login = { verificationToken, publicKey, clientSignature, invalidateExisting: false }
  const { session } = await client.httpClient.proxyOtpLoginV2(login)
  expect(claimsOf(session)).toMatchObject({ user_id: userId, organization_id: organizationId })
  expect((await found('get_api_keys', { userId })).apiKeys).toMatchObject([{ credential: { publicKey } }])

  await done('disable_auth_proxy', {})
  await expect(client.initOtp({ otpType: 'OTP_TYPE_EMAIL', contact })).rejects.toThrow('Failed to initialize OTP')
})

test('a page of another origin may read the answers, and gets 429 with Retry-After for too many requests', async () => {
  const { organizationId } = organizationOver(server)
  const url = `${server.url}/v1/otp_init_v2`
  const preflight = await fetch(url, { method: 'OPTIONS' })
  expect(preflight.headers.get('access-control-allow-headers')).toContain('x-auth-proxy-config-id')
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400)
  const ask = () => fetch(url, { method: 'POST', body: '{}', headers: { 'x-auth-proxy-config-id': organizationId } })
  const answers = await Promise.all(Array.from({ length: 70 }, ask))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]?.headers.get('retry-after')).toBe('1')
  expect(refused[0]?.headers.get('access-control-allow-origin')).toBe('*')
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404, 429]))
})

test('what the proxy has not here is named', async () => {
  for (const name of ['signup_v2', 'signup', 'oauth2_authenticate']) {
    const answer = await fetch(`${server.url}/v1/${name}`, { method: 'POST', body: '{}' })
    expect((await answer.json()).message).toContain(name)
  }
})
