import { ApiKeyStamper } from '@turnkey/api-key-stamper'
import { decryptCredentialBundle, getPublicKey } from '@turnkey/crypto'
import { TurnkeyClient } from '@turnkey/http'
import { expect, onTestFinished, test } from 'vitest'
import type { GivenAuthenticator } from '../../src/operations/authenticators/shared/new_authenticators.ts'
import { addAuthenticator, openPage, type Page, removeAuthenticator } from '../support/browser.ts'
import { newTarget } from '../support/bundles.ts'
import { baseUrls, dialects, httpClient } from '../support/clients.ts'
import { startRunningServer } from '../support/running_server.ts'
import { startMailServer } from '../support/smtp_server.ts'

/**
 * The life of a passkey in a real browser, by the unmodified clients, against the running server: registered, used,
 * lost, recovered by mail, used again. The page asks the server itself, so what CORS allows is part of it.
 */

/** Of `@turnkey/http` only the file that registers passkeys, which a browser can load without a bundler. */
const modules = {
  '@turnkey/http/webauthn': '@turnkey/http/dist/webauthn.mjs',
  '@turnkey/webauthn-stamper': '@turnkey/webauthn-stamper/dist/index.mjs',
  'sha256-uint8array': 'sha256-uint8array/dist/sha256-uint8array.mjs',
}

const registerInPage = `async (authenticatorName) => {
  const { getWebAuthnAttestation } = await import('@turnkey/http/webauthn')
  const challenge = crypto.getRandomValues(new Uint8Array(32))
  return {
    authenticatorName,
    challenge: challenge.toBase64({ alphabet: 'base64url', omitPadding: true }),
    attestation: await getWebAuthnAttestation({
      publicKey: {
        challenge,
        rp: { id: 'localhost', name: 'Conformance' },
        user: { id: crypto.getRandomValues(new Uint8Array(16)), name: 'ada@example.com', displayName: 'Ada' },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }, { type: 'public-key', alg: -257 }],
        authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
      },
    }),
  }
}`

const postInPage = `async (url, body, id) => {
  const { WebauthnStamper } = await import('@turnkey/webauthn-stamper')
  const allowCredentials = [{ type: 'public-key', id: Uint8Array.fromBase64(id, { alphabet: 'base64url' }) }]
  const stamper = new WebauthnStamper({ rpId: 'localhost', allowCredentials })
  const { stampHeaderName, stampHeaderValue } = await stamper.stamp(body)
  const headers = { 'content-type': 'application/json', [stampHeaderName]: stampHeaderValue }
  const response = await fetch(url, { method: 'POST', headers, body })
  return { status: response.status, body: await response.json() }
}`

const register = (page: Page, name: string) => page.evaluate<GivenAuthenticator>(registerInPage, name)

async function startEverything() {
  const mailServer = await startMailServer()
  onTestFinished(() => mailServer.close())
  const server = await startRunningServer({ flags: ['--smtp-url', `smtp://127.0.0.1:${mailServer.port}`] })
  onTestFinished(() => server.stop())
  return { server, mailServer }
}

test.for(dialects)('recover_user: a passkey is used, lost and recovered by mail (%s)', async (dialect, context) => {
  const page = await openPage(context, { modules })
  const { server, mailServer } = await startEverything()
  const { organizationId } = server.credentials
  const baseUrl = baseUrls(server)[dialect]
  const root = httpClient(server, dialect)
  const timestampMs = () => String(Date.now())

  /** Through the browser, stamped by one of the passkeys that it has. */
  const ask = ({ attestation }: GivenAuthenticator, path: string, body: object) =>
    page.evaluate<{ status: number; body: ReturnType<typeof JSON.parse> }>(
      postInPage,
      `${baseUrl}/public/v1/${path}`,
      JSON.stringify({ organizationId, ...body }),
      attestation.credentialId,
    )

  // A user outside the root quorum, who has an address and nothing else.
  const email = 'ada@example.com'
  const user = { userName: 'Ada', userEmail: email, apiKeys: [], authenticators: [], oauthProviders: [], userTags: [] }
  const made = await root.createUsers({
    type: 'ACTIVITY_TYPE_CREATE_USERS_V4',
    timestampMs: timestampMs(),
    organizationId,
    parameters: { users: [user] },
  })
  const [userId = ''] = made.activity.result.createUsersResult?.userIds ?? []

  const device = await addAuthenticator(page)
  const phone = await register(page, 'phone')
  const created = await root.createAuthenticators({
    type: 'ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2',
    timestampMs: timestampMs(),
    organizationId,
    parameters: { userId, authenticators: [phone] },
  })
  const [authenticatorId = ''] = created.activity.result.createAuthenticatorsResult?.authenticatorIds ?? []
  expect(await ask(phone, 'query/whoami', {})).toMatchObject({ status: 200, body: { organizationId, userId } })
  const { authenticator } = await root.getAuthenticator({ organizationId, authenticatorId })
  expect(authenticator).toMatchObject({ authenticatorName: 'phone', attestationType: 'none' })

  // It stamps activities too: another passkey on the same device, which is lost with it.
  const work = await register(page, 'work')
  expect(await ask(work, 'query/whoami', {})).toMatchObject({ status: 401, body: { code: 16 } })
  const more = await ask(phone, 'submit/create_authenticators', {
    type: 'ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2',
    timestampMs: timestampMs(),
    parameters: { userId, authenticators: [work] },
  })
  expect(more).toMatchObject({ status: 200, body: { activity: { status: 'ACTIVITY_STATUS_COMPLETED' } } })
  expect(more.body.activity.votes).toMatchObject([{ userId, scheme: 'SIGNATURE_SCHEME_TK_WEBAUTHN' }])
  const forbidden = await ask(work, 'submit/create_wallet', {
    type: 'ACTIVITY_TYPE_CREATE_WALLET',
    timestampMs: timestampMs(),
    parameters: { walletName: 'Not hers to make', accounts: [] },
  })
  expect(forbidden).toMatchObject({ status: 403, body: { code: 7 } })

  await removeAuthenticator(page, device)
  await addAuthenticator(page)

  const { targetPublicKey, embeddedKey } = newTarget()
  const started = await root.initUserEmailRecovery({
    type: 'ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2',
    timestampMs: timestampMs(),
    organizationId,
    parameters: {
      email,
      targetPublicKey,
      emailCustomization: { appName: 'Conformance & Co', magicLinkTemplate: `${page.origin}/recover?bundle=%s` },
    },
  })
  expect(started.activity.result).toEqual({ initUserEmailRecoveryResult: { userId } })
  const [received] = await mailServer.arrived(1)
  expect(received).toMatchObject({ to: [email], mail: { subject: 'Recover your account at Conformance & Co' } })
  const bundle = new URL(/http:\S+/.exec(received?.mail.text ?? '')?.[0] ?? '').searchParams.get('bundle') ?? ''
  expect(received?.mail.html).toContain(bundle)

  const apiPrivateKey = decryptCredentialBundle(bundle, embeddedKey)
  const apiPublicKey = Buffer.from(getPublicKey(Buffer.from(apiPrivateKey, 'hex'), true)).toString('hex')
  const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey })
  const recovering = new TurnkeyClient({ baseUrl }, stamper)
  expect(await recovering.getWhoami({ organizationId })).toMatchObject({ userId })
  await expect(recovering.getUser({ organizationId, userId })).rejects.toThrow('a recovery credential is for')
  const newPhone = await register(page, 'new phone')
  const recovered = await recovering.recoverUser({
    type: 'ACTIVITY_TYPE_RECOVER_USER',
    timestampMs: timestampMs(),
    organizationId,
    parameters: { userId, authenticator: newPhone },
  })
  const [newId = ''] = recovered.activity.result.recoverUserResult?.authenticatorId ?? []
  expect(await ask(newPhone, 'query/whoami', {})).toMatchObject({ status: 200, body: { userId } })
  await expect(recovering.getWhoami({ organizationId })).rejects.toThrow('could not find public key in organization')

  // What was lost is removed by the new one.
  const { authenticators } = await root.getAuthenticators({ organizationId, userId })
  const authenticatorIds = authenticators.map((one) => one.authenticatorId).filter((id) => id !== newId)
  expect(authenticatorIds).toHaveLength(2)
  const deleted = await ask(newPhone, 'submit/delete_authenticators', {
    type: 'ACTIVITY_TYPE_DELETE_AUTHENTICATORS',
    timestampMs: timestampMs(),
    parameters: { userId, authenticatorIds },
  })
  expect(deleted.body.activity.result).toEqual({ deleteAuthenticatorsResult: { authenticatorIds } })
  expect(await ask(newPhone, 'query/get_authenticators', { userId })).toMatchObject({
    body: { authenticators: [{ authenticatorId: newId, authenticatorName: 'new phone' }] },
  })
})
