import { isWaiting } from '../api/activity.ts'
import { type Client, type Stamper, sessionStamper } from '../api/client.ts'
import { ServerError, SessionRefused } from '../api/server_error.ts'
import { isUuid } from '../stamping/encoding.ts'
import { isSameOwner, type Session } from '../stamping/key_store.ts'
import { findPasskey } from '../stamping/passkeys.ts'
import { newSessionKey } from '../stamping/session_keys.ts'
import { type PasskeyStamp, type StampingKey, stampByPasskey } from '../stamping/stamps.ts'

/** A reason for which a login ends before the server is asked. The texts have a sentence for each. */
export class LoginProblem extends Error {
  override readonly name = 'LoginProblem'
  readonly reason:
    | 'passkeyNamesNoOrganization'
    | 'passkeyOfOtherOrganization'
    | 'passkeyOfOtherUser'
    | 'noCredentials'
    | 'noPrivateKey'
    | 'noOrganization'
    | 'issuerUnasked'
    | 'issuerRefused'

  constructor(reason: LoginProblem['reason']) {
    super(reason)
    this.reason = reason
  }
}

type PasskeyLogin = {
  readonly organizationId: string | undefined
  readonly seconds: number
  /** The passkeys that may be used. None: any. */
  readonly credentialIds?: readonly string[]
}

/**
 * Opens a session by a passkey. The body that the passkey stamps names the organization: where the user has chosen none,
 * the passkey says which, and is asked a second time. A passkey of another organization than the chosen one is refused.
 */
export async function logInByPasskey(
  client: Client,
  { organizationId, seconds, credentialIds = [] }: PasskeyLogin,
): Promise<Session> {
  const found = organizationId === undefined ? await findPasskey() : undefined
  const asked = organizationId ?? found?.userHandle?.organizationId
  if (asked === undefined) throw new LoginProblem('passkeyNamesNoOrganization')
  const used: { passkey?: PasskeyStamp } = {}
  const stamper: Stamper = async (body) => {
    used.passkey = await stampByPasskey(body, found === undefined ? credentialIds : [found.credentialId])
    return used.passkey.stamp
  }
  try {
    const session = await openSession(client, stamper, { organizationId: asked, seconds })
    return { ...session, credentialIds: used.passkey === undefined ? [] : [used.passkey.credentialId] }
  } catch (error) {
    const named = used.passkey?.userHandle?.organizationId
    const isUnknown = error instanceof ServerError && error.httpStatus === 401
    throw isUnknown && named !== undefined && named !== asked ? new LoginProblem('passkeyOfOtherOrganization') : error
  }
}

/** Opens another session of the same user, by a passkey. */
export async function renewByPasskey(client: Client, former: Session, seconds: number): Promise<Session> {
  const session = await logInByPasskey(client, { organizationId: former.organizationId, seconds })
  if (isSameOwner(session, former)) return session
  await revokeSession(client, session).catch(() => undefined)
  throw new LoginProblem('passkeyOfOtherUser')
}

/** Makes a key of this browser an API key of the user whom the stamp proves. `key`: a fresh one, unless given. */
export async function openSession(
  client: Client,
  stamper: Stamper,
  {
    organizationId,
    seconds,
    key: given,
  }: { readonly organizationId: string; readonly seconds: number; readonly key?: StampingKey },
): Promise<Session> {
  const { key, publicKey } = given ?? (await newSessionKey())
  const expiresAtMs = Date.now() + seconds * 1_000
  await client.submitStampedBy(stamper, {
    organizationId,
    name: 'stamp_login',
    parameters: { publicKey, expirationSeconds: String(seconds) },
  })
  return namedSession(client, { key, publicKey, kind: 'login', organizationId, expiresAtMs })
}

/** The organization and the key for a login by API key, from `credentials.json` or typed by the user. */
export type ApiCredentials = { readonly organizationId: string; readonly apiPrivateKey: string }

/** Throws a LoginProblem unless the text is the content of a `credentials.json`. */
export function readCredentials(text: string): ApiCredentials {
  const { organizationId, apiPrivateKey } = membersOf(text)
  if (typeof organizationId !== 'string' || typeof apiPrivateKey !== 'string') throw new LoginProblem('noCredentials')
  return { organizationId, apiPrivateKey }
}

function membersOf(text: string): { readonly organizationId?: unknown; readonly apiPrivateKey?: unknown } {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}

/** Imports the key so that nothing can read it again, and asks the server whose it is. */
export async function logInByApiKey(
  client: Client,
  { organizationId, apiPrivateKey }: ApiCredentials,
): Promise<Session> {
  if (!isUuid(organizationId)) throw new LoginProblem('noOrganization')
  if (!/^[0-9a-f]{64}$/i.test(apiPrivateKey)) throw new LoginProblem('noPrivateKey')
  const { importApiKey } = await import('../stamping/import_api_key.ts')
  const key = await importApiKey(apiPrivateKey)
  return namedSession(client, { ...key, kind: 'apiKey', organizationId })
}

type Unnamed = Omit<Session, 'organizationName' | 'userId' | 'userName'>

async function namedSession(client: Client, unnamed: Unnamed): Promise<Session> {
  const anonymous = { ...unnamed, organizationName: '', userId: '', userName: '' }
  const { organizationId, organizationName, userId, username } = await client
    .ask(anonymous, 'whoami', {})
    .catch(asLogin)
  return { ...unnamed, organizationId, organizationName, userId, userName: username }
}

/** The refusal of a key that is to open a session says nothing of the session that is open here. */
function asLogin(error: unknown): never {
  throw error instanceof SessionRefused ? new ServerError(error.httpStatus, error.message) : error
}

/**
 * Removes the session's own key from the user. An API key that was brought along stays: it is not the session's. `waits`:
 * the rules ask for more before the session ends.
 */
export async function revokeSession(client: Client, session: Session): Promise<'done' | 'waits'> {
  if (session.kind !== 'login') return 'done'
  const { userId, organizationId, publicKey } = session
  const { apiKeys } = await client.ask(session, 'get_api_keys', { userId })
  const own = apiKeys.find(({ credential }) => credential.publicKey === publicKey)
  if (own === undefined) return 'done'
  const parameters = { userId, apiKeyIds: [own.apiKeyId] }
  const asked = { organizationId, name: 'delete_api_keys', parameters } as const
  const { activity } = await client.submitStampedBy(sessionStamper(session), asked)
  return isWaiting(activity) ? 'waits' : 'done'
}
