import { askProxy, type Issuer } from '../api/auth_proxy.ts'
import type { Client } from '../api/client.ts'
import { sealPasscode } from '../secrets/bundles.ts'
import { hexOf, utf8 } from '../stamping/encoding.ts'
import { dropBesideSession, keepBesideSession, readBesideSession, type Session } from '../stamping/key_store.ts'
import { newSessionKey } from '../stamping/session_keys.ts'
import { type StampingKey, stampByToken } from '../stamping/stamps.ts'
import { LoginProblem, openSession } from './logins.ts'
import { returnUrl } from './return_url.ts'

/** A code is on its way to this address. */
export type SentCode = { readonly organizationId: string; readonly otpId: string; readonly bundle: string }

export async function sendCode(organizationId: string, contact: string): Promise<SentCode> {
  const asked = { otpType: 'OTP_TYPE_EMAIL', contact }
  const { otpId, otpEncryptionTargetBundle: bundle } = await askProxy(organizationId, 'otp_init_v2', asked)
  return { organizationId, otpId, bundle }
}

/** Opens a session by a code. Only the vault can read the code, and only this browser can use what it proves. */
export async function logInByCode(
  client: Client,
  { organizationId, otpId, bundle }: SentCode,
  { code, seconds }: { readonly code: string; readonly seconds: number },
): Promise<Session> {
  const key = await newSessionKey()
  const encryptedOtpBundle = await sealPasscode(bundle, { code, organizationId, publicKey: key.publicKey })
  const { verificationToken } = await askProxy(organizationId, 'otp_verify_v2', { otpId, encryptedOtpBundle })
  const scheme = 'STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN'
  return openSession(client, (body) => stampByToken({ key, token: verificationToken, scheme }, body), {
    ...{ organizationId, seconds, key },
  })
}

const waitingName = 'issuerLogin'
const waitingMsMax = 15 * 60_000

/** A login at an issuer that has begun in this browser. The key waits where the key of a session is kept. */
type Waiting = StampingKey & {
  readonly state: string
  readonly organizationId: string
  readonly seconds: number
  readonly beganAtMs: number
}

/**
 * Leaves the page for the issuer's. The issuer puts the digest of the key's public half into its token, so nobody
 * without the key, which cannot leave this browser, can use the token.
 */
export async function goToIssuer(
  { authorizationUrl, clientId }: Issuer,
  { organizationId, seconds }: { readonly organizationId: string; readonly seconds: number },
): Promise<void> {
  const key = await newSessionKey()
  const nonce = hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(key.publicKey))))
  const state = hexOf(crypto.getRandomValues(new Uint8Array(16)))
  const waiting: Waiting = { ...key, state, organizationId, seconds, beganAtMs: Date.now() }
  await keepBesideSession(undefined, waitingName, waiting)
  const url = new URL(authorizationUrl)
  const asked = { response_type: 'id_token', response_mode: 'fragment', scope: 'openid', client_id: clientId }
  for (const [name, value] of Object.entries({ ...asked, redirect_uri: returnUrl(), nonce, state })) {
    url.searchParams.set(name, value)
  }
  location.assign(url)
}

/** Ends a login at an issuer, with what the issuer has put behind the `#`. */
export async function comeBack(client: Client, answer: URLSearchParams): Promise<Session> {
  const waiting = (await readBesideSession(waitingName)) as Waiting | undefined
  // Anybody can make a link to an answer. It must not end a login that is under way.
  if (waiting === undefined || waiting.state !== answer.get('state')) throw new LoginProblem('issuerUnasked')
  await dropBesideSession(waitingName)
  if (Date.now() > waiting.beganAtMs + waitingMsMax) throw new LoginProblem('issuerUnasked')
  const token = answer.get('id_token')
  if (token === null) throw new LoginProblem('issuerRefused')
  const { organizationId, seconds } = waiting
  const scheme = 'STAMP_ATTESTED_SCHEME_P256_OIDC'
  return openSession(client, (body) => stampByToken({ key: waiting, token, scheme }, body), {
    ...{ organizationId, seconds, key: waiting },
  })
}
