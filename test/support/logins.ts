import { sign } from 'node:crypto'
import { encryptOtpCodeToBundle } from '@turnkey/crypto'
import { createRemoteJWKSet, importJWK, jwtVerify } from 'jose'
import type { Message } from '../../src/protocol/wire/outgoing_messages.ts'
import type { Server } from './in_process.ts'
import { newUser, type Parameters, type TestOrganization } from './organization.ts'
import { type ApiKeyPair, generateApiKey } from './stamping.ts'
import { dueMessagesOfAll } from './store/messages.ts'

/** Logs users in by passcodes as a client does, with the clients' own package where it has a part. */

/** Every message that waits to be delivered, oldest first. */
export async function messagesOf({ store, vault }: Pick<Server, 'store' | 'vault'>): Promise<readonly Message[]> {
  const due = await Promise.all(
    (['mail', 'sms'] as const).map((channel) => dueMessagesOfAll(store, { channel, nowMs: Number.MAX_SAFE_INTEGER })),
  )
  const opened = await Promise.all(
    due
      .flat()
      .map(({ organizationId, messageId, sealed }) =>
        vault.openMessage({ organizationId, messageId, sealed, presented: [] }),
      ),
  )
  return opened.flatMap((answer) =>
    answer.kind === 'message' && (answer.message.channel === 'mail' || answer.message.channel === 'sms')
      ? [answer.message]
      : [],
  )
}

/** The passcode that was last sent to the contact. */
export async function passcodeFor(server: Pick<Server, 'store' | 'vault'>, contact: string): Promise<string> {
  const message = (await messagesOf(server)).findLast(({ to }) => to === contact)
  return passcodeIn(message?.text ?? '')
}

/** The passcode in the text of a message. */
export function passcodeIn(text: string): string {
  const passcode =
    /^[0-9A-Z]{6,9}(?= is )/.exec(text)?.[0] ?? /\b[0-9A-Z]{6,9}\b(?=\.|\n| is)/.exec(text.replace(/^.* is /, ''))?.[0]
  if (passcode === undefined) throw new Error(`there is no passcode in "${text}"`)
  return passcode
}

export type Flow = { readonly contact: string; readonly otpId: string; readonly otpEncryptionTargetBundle: string }

/** Logins of one organization, in a server of the test's own process. */
export async function loginsOf({ server, done }: Pick<TestOrganization, 'server' | 'done'>) {
  const signer = (await server.vault.publishedKeys()).tlsFetcherSigning?.uncompressed ?? ''
  return loginsBy({ done, signer, passcodeSentTo: (contact) => passcodeFor(server, contact) })
}

/** The same with any server. It needs only a way to ask it, its published key, and a way to read the mail. */
export function loginsBy({
  done,
  signer,
  passcodeSentTo,
}: Pick<TestOrganization, 'done'> & {
  readonly signer: string
  readonly passcodeSentTo: (contact: string) => Promise<string>
}) {
  let count = 0

  /** Makes a user with its own mail address. */
  async function newMailUser(): Promise<{ readonly userId: string; readonly contact: string }> {
    const contact = `user${++count}@example.org`
    const [userId] = (await done('create_users', { users: [newUser({ userEmail: contact })] })).userIds
    return { userId, contact }
  }

  async function startFlow(contact: string, given: Parameters = {}): Promise<Flow> {
    const parameters = { otpType: 'OTP_TYPE_EMAIL', contact, appName: 'Test', ...given }
    return { contact, ...(await done('init_otp', parameters)) }
  }

  function encrypted(flow: Flow, passcode: string, clientKey: ApiKeyPair): Promise<string> {
    return encryptOtpCodeToBundle(passcode, flow.otpEncryptionTargetBundle, clientKey.publicKey, signer)
  }

  /** Returns a verification token of the contact, bound to the client's key. */
  async function tokenFor(contact: string, clientKey: ApiKeyPair, given: Parameters = {}): Promise<string> {
    const flow = await startFlow(contact, given)
    const encryptedOtpBundle = await encrypted(flow, await passcodeSentTo(contact), clientKey)
    return (await done('verify_otp', { otpId: flow.otpId, encryptedOtpBundle })).verificationToken
  }

  /** The parameters of an otp_login. */
  async function loginFor(contact: string, given: Parameters = {}) {
    const [clientKey, sessionKey] = [generateApiKey(), generateApiKey()]
    const verificationToken = await tokenFor(contact, clientKey)
    const clientSignature = clientSignatureOf({ verificationToken, clientKey, publicKey: sessionKey.publicKey })
    return { sessionKey, parameters: { verificationToken, publicKey: sessionKey.publicKey, clientSignature, ...given } }
  }

  return { newMailUser, startFlow, encrypted, tokenFor, loginFor }
}

export function claimsOf(token: string): ReturnType<typeof JSON.parse> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

/** The claims of a token that verifies as ES256 (RFC 7518) under a published key; throws for any other. */
export async function verifiedByJose(token: string, { uncompressed }: { readonly uncompressed: string }) {
  const point = Buffer.from(uncompressed, 'hex')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
  const key = await importJWK({ kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, 'ES256')
  return (await jwtVerify(token, key, { algorithms: ['ES256'] })).payload
}

/** The claims of a token that verifies with the server's own list of keys, by the `kid` in the token's header. */
export async function verifiedByKeySet(token: string, { url }: { readonly url: string }) {
  const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', url))
  return (await jwtVerify(token, keys)).payload
}

/** The client's signature as the clients' kits make it: raw r and s over the message's bytes. */
export function clientSignatureOf({
  verificationToken,
  clientKey,
  publicKey,
}: {
  readonly verificationToken: string
  readonly clientKey: ApiKeyPair
  /** The session's public key. A test may sign something else. */
  readonly publicKey: unknown
}) {
  const tokenId = claimsOf(verificationToken).id
  return signedBy(clientKey, JSON.stringify({ login: { publicKey }, tokenId, type: 'USAGE_TYPE_LOGIN' }))
}

/** The same for the one root user of a new organization, as the request describes it. */
export function signUpSignatureOf(verificationToken: string, clientKey: ApiKeyPair, rootUser: Parameters) {
  const { apiKeys, authenticators, oauthProviders, userEmail, userPhoneNumber } = rootUser
  const contacts = {
    ...(userEmail === undefined ? {} : { email: userEmail }),
    ...(userPhoneNumber === undefined ? {} : { phoneNumber: userPhoneNumber }),
  }
  const signupV2 = { apiKeys, authenticators, oauthProviders, ...contacts }
  const tokenId = claimsOf(verificationToken).id
  return signedBy(clientKey, JSON.stringify({ signupV2, tokenId, type: 'USAGE_TYPE_SIGNUP' }))
}

function signedBy(clientKey: ApiKeyPair, message: string) {
  const signature = sign('sha256', Buffer.from(message), { key: clientKey.privateKey, dsaEncoding: 'ieee-p1363' })
  return {
    publicKey: clientKey.publicKey,
    scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256' as const,
    message,
    signature: signature.toString('hex'),
  }
}
