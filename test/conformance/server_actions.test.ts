import { createHash } from 'node:crypto'
import { encryptOtpCodeToBundle } from '@turnkey/crypto'
import type { server as serverActions } from '@turnkey/sdk-server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { serverClient as newServerClient } from '../support/clients.ts'
import { claimsOf, clientSignatureOf, passcodeIn } from '../support/logins.ts'
import { type OidcIssuer, startOidcIssuer } from '../support/oidc_issuer.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'
import { type MailServer, startMailServer } from '../support/smtp_server.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/**
 * The server actions of `@turnkey/sdk-server`: whole sign-ups and logins as backends of web apps have them. They are
 * configured by the environment, once for the process.
 */

let issuer: OidcIssuer
let mailServer: MailServer
let server: RunningServer
let actions: typeof serverActions
let serverClient: typeof newServerClient
let signer: string
beforeAll(async () => {
  issuer = await startOidcIssuer()
  mailServer = await startMailServer()
  const smtp = ['--smtp-url', `smtp://127.0.0.1:${mailServer.port}`]
  server = await startRunningServer({
    flags: [
      ...smtp,
      ...['--oidc-issuers', issuer.url, '--oidc-audiences', issuer.clientId, '--ca-file', issuer.caFile],
    ],
  })
  const keys = await (await fetch(`${server.url}/.well-known/claviger-keys.json`)).json()
  signer = keys.tlsFetcherSigning.uncompressed
  vi.stubEnv('NEXT_PUBLIC_BASE_URL', server.url)
  vi.stubEnv('NEXT_PUBLIC_ORGANIZATION_ID', server.credentials.organizationId)
  vi.stubEnv('TURNKEY_API_PUBLIC_KEY', server.credentials.apiPublicKey)
  vi.stubEnv('TURNKEY_API_PRIVATE_KEY', server.credentials.apiPrivateKey)
  // Not before: the package reads the environment when it is loaded.
  actions = (await import('@turnkey/sdk-server')).server
  serverClient = (await import('../support/clients.ts')).serverClient
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.stop()
  await mailServer.close()
  await issuer.close()
})

/** They log what went wrong and give nothing. */
function given<T>(answer: T | undefined): T {
  if (answer === undefined) throw new Error('the action failed; what it logged says why')
  return answer
}

/** The package declares an enum for these, which it does not export. */
type FilterType = Parameters<typeof serverActions.getOrCreateSuborg>[0]['filterType']

const clientOf = ({ publicKey, privateKeyHex }: ApiKeyPair, organizationId: string) =>
  serverClient(server, 'spec', { apiPublicKey: publicKey, apiPrivateKey: privateKeyHex, organizationId })

test('a user signs up by a passcode and comes back to the same sub-organization and wallet', async () => {
  const contact = 'ada@example.com'

  async function logIn(mails: number) {
    const { otpId, otpEncryptionTargetBundle } = given(
      await actions.sendOtp({ otpType: 'OTP_TYPE_EMAIL', contact, appName: 'Test', otpLength: 6, alphanumeric: false }),
    )
    const [clientKey, sessionKey] = [generateApiKey(), generateApiKey()]
    const passcode = passcodeIn((await mailServer.arrived(mails))[mails - 1]?.mail.text ?? '')
    expect(passcode).toMatch(/^\d{6}$/)
    const encryptedOtpBundle = await encryptOtpCodeToBundle(
      passcode,
      otpEncryptionTargetBundle,
      clientKey.publicKey,
      signer,
    )
    const { verificationToken } = given(
      await actions.verifyOtp({ otpId, encryptedOtpBundle, sessionLengthSeconds: 60 }),
    )
    const { subOrganizationIds } = await actions.getOrCreateSuborg({
      filterType: 'EMAIL' as FilterType,
      filterValue: contact,
      additionalData: { email: contact },
    })
    const [suborgID = ''] = given(subOrganizationIds)
    const { publicKey } = sessionKey
    const clientSignature = clientSignatureOf({ verificationToken, clientKey, publicKey })
    const login = { suborgID, verificationToken, publicKey, clientSignature, sessionLengthSeconds: 60 }
    const { session } = given(await actions.otpLogin(login))
    expect(claimsOf(session)).toMatchObject({ organization_id: suborgID, public_key: publicKey })
    const logged = clientOf(sessionKey, suborgID)
    expect(await logged.getWhoami()).toMatchObject({ organizationId: suborgID, username: contact })
    return { subOrganizationIds, accounts: (await logged.getWalletAccounts({})).accounts }
  }

  const first = await logIn(1)
  expect(first.accounts.map(({ addressFormat }) => addressFormat).toSorted()).toEqual([
    'ADDRESS_FORMAT_ETHEREUM',
    'ADDRESS_FORMAT_SOLANA',
  ])
  expect(await logIn(2)).toEqual(first)
})

test('a user signs up by an ID token and comes back to the same sub-organization', async () => {
  async function logIn() {
    const sessionKey = generateApiKey()
    const { publicKey } = sessionKey
    const nonce = createHash('sha256').update(publicKey).digest('hex')
    const oidcToken = await issuer.idToken({ sub: 'grace', nonce })
    const { subOrganizationIds } = await actions.getOrCreateSuborg({
      filterType: 'OIDC_TOKEN' as FilterType,
      filterValue: oidcToken,
      additionalData: { oauthProviders: [{ providerName: 'Issuer', oidcToken }] },
    })
    const [suborgID = ''] = given(subOrganizationIds)
    const { session } = given(await actions.oauthLogin({ suborgID, oidcToken, publicKey, sessionLengthSeconds: 60 }))
    expect(claimsOf(session)).toMatchObject({ organization_id: suborgID, public_key: publicKey })
    expect(await clientOf(sessionKey, suborgID).getWhoami()).toMatchObject({ organizationId: suborgID })
    return subOrganizationIds
  }

  const first = await logIn()
  expect(await logIn()).toEqual(first)
})
