import type { CodeGrant, Oauth2Endpoints, Oauth2EndpointTable, Oauth2User } from '../../contract/oauth2.ts'
import type { Log } from '../../link/vault_log.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { Failure, fieldRefused } from '../../protocol/wire/failures.ts'
import { isJsonObject, type JsonValue } from '../../protocol/wire/json.ts'
import { FetchError, type FetchJson } from './fetch_json.ts'

/** The limit for both fetches together. A call to the vault has ten seconds. */
const exchangeMsMax = 7_000
/**
 * How long an exchange is kept, after which its access token is zeroed. A provider exchanges each code once, so a
 * decision that is made again has to find the result of the first exchange.
 */
const keptMs = 60_000
/** The most running exchanges of one organization. Each holds a pipe of the vault, and others need pipes too. */
const runningOfOneMax = 8
/**
 * The most running exchanges. There are more pipes than that, because the verification of ID tokens needs some too. The
 * sub-organizations of one parent are a family. It begins another exchange only while fewer of its own are running than
 * places are free, so a parent with many sub-organizations keeps nobody else out.
 */
const runningMax = 48
/** The maximum is there because the vault keeps the access token and sends it in a header. */
const accessTokenCharactersMax = 16_384

/**
 * Returns the user to whom the provider gave the code. A request with the same `fingerprint` gets the same exchange
 * again.
 */
export type ExchangeCode = (grant: CodeGrant, request: { readonly fingerprint: string } & Asker) => Promise<Oauth2User>

type Asker = {
  readonly organizationId: string
  /** The organization of which the asking one is a sub-organization. Its own exchanges are none of that family. */
  readonly parentId: string | undefined
}

type ExchangeCodeParts = {
  readonly endpoints: Oauth2EndpointTable
  readonly fetchJson: FetchJson
  readonly log: Pick<Log, 'warn'>
}

/**
 * Makes the authorization code grant (RFC 6749, 4.1.3) with PKCE (RFC 7636), and then asks the provider who the user
 * is. Throws FIELD_INVALID for a code or client that the provider refuses. Throws UNAVAILABLE when the provider cannot
 * be asked, for a reason that is logged, or while too many other exchanges run.
 */
export function createExchangeCode({ endpoints, fetchJson, log }: ExchangeCodeParts): ExchangeCode {
  const kept = new Map<string, Promise<Oauth2User>>()
  const running: Asker[] = []
  let isFullSaid = false

  function keep(fingerprint: string, user: Oauth2User): Oauth2User {
    const forget = () => {
      kept.delete(fingerprint)
      user.accessToken[Symbol.dispose]()
    }
    setTimeout(forget, keptMs).unref()
    return user
  }

  function requireRoom({ organizationId, parentId }: Asker): void {
    const own = running.filter((one) => one.organizationId === organizationId)
    const family = parentId === undefined ? own : running.filter((one) => one.parentId === parentId)
    const hasRoom = own.length < runningOfOneMax
    const leavesRoom = family.length < runningMax - running.length
    if (hasRoom && leavesRoom) return
    if (!isFullSaid) log.warn({ running: running.length }, 'OAuth 2.0 logins are refused: too many are under way')
    isFullSaid = true
    throw new Failure('UNAVAILABLE', 'too many OAuth 2.0 logins are under way')
  }

  async function exchangeNow(grant: CodeGrant, asker: Asker): Promise<Oauth2User> {
    requireRoom(asker)
    running.push(asker)
    try {
      return await exchange(fetchJson, endpoints[grant.provider], grant)
    } catch (cause) {
      if (!(cause instanceof FetchError)) throw cause
      log.warn({ provider: grant.provider, error: cause }, 'an OAuth 2.0 provider cannot be asked')
      throw new Failure('UNAVAILABLE', { reason: `the OAuth 2.0 provider cannot be asked: ${cause.message}`, cause })
    } finally {
      running.splice(running.indexOf(asker), 1)
      if (running.length === 0) isFullSaid = false
    }
  }

  return (grant, { fingerprint, organizationId, parentId }) => {
    const known = kept.get(fingerprint)
    if (known !== undefined) return known
    const user = exchangeNow(grant, { organizationId, parentId }).then(
      (found) => keep(fingerprint, found),
      (error: unknown) => {
        kept.delete(fingerprint)
        throw error
      },
    )
    kept.set(fingerprint, user)
    return user
  }
}

async function exchange(fetchJson: FetchJson, endpoints: Oauth2Endpoints, grant: CodeGrant): Promise<Oauth2User> {
  const signal = AbortSignal.timeout(exchangeMsMax)
  const { status, json } = await fetchJson({
    url: endpoints.tokenUrl,
    headers: { authorization: basic(grant), 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(
      String(
        new URLSearchParams({
          grant_type: 'authorization_code',
          code: grant.authCode,
          redirect_uri: grant.redirectUri,
          code_verifier: grant.codeVerifier,
        }),
      ),
    ),
    signal,
  })
  const { access_token: accessToken, token_type: tokenType } = json
  if (status !== 200) throw refusal(endpoints.tokenUrl, status, json.error)
  if (typeof accessToken !== 'string' || typeof tokenType !== 'string' || tokenType.toLowerCase() !== 'bearer') {
    throw new FetchError(`${endpoints.tokenUrl}: it answers no bearer token`)
  }
  if (accessToken.length > accessTokenCharactersMax) {
    throw new FetchError(`${endpoints.tokenUrl}: its token is longer than ${accessTokenCharactersMax} characters`)
  }
  const user = await fetchJson({ url: endpoints.userUrl, headers: { authorization: `Bearer ${accessToken}` }, signal })
  const id = endpoints.userIdPath.reduce<JsonValue | undefined>(memberOf, user.json)
  if (
    user.status !== 200 ||
    !(typeof id === 'string' || Number.isSafeInteger(id)) ||
    !/^[!-~]{1,200}$/.test(String(id))
  ) {
    throw new FetchError(`${endpoints.userUrl}: it answers ${user.status} and no id of a user`)
  }
  return { subject: `${endpoints.subjectPrefix}:${id}`, accessToken: new SecretBytes(Buffer.from(accessToken)) }
}

/** RFC 6749, 2.3.1: both parts are form-encoded before they are joined. */
function basic({ clientId, clientSecret }: CodeGrant): string {
  const parts = [clientId, Buffer.from(clientSecret.reveal()).toString()]
  const encoded = parts.map((part) => String(new URLSearchParams({ '': part })).slice(1))
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`
}

/** Returns the error for an answer of the token endpoint that is not 200 (RFC 6749, 5.2). */
function refusal(url: string, status: number, error: JsonValue | undefined): Error {
  const code = typeof error === 'string' && /^[a-z_]{1,64}$/.test(error) ? error : undefined
  if (status >= 500 || code === undefined) return new FetchError(`${url}: it answers ${status}`)
  const isClient = code === 'invalid_client' || code === 'unauthorized_client'
  const fieldPath = isClient ? 'parameters.oauth2CredentialId' : 'parameters.authCode'
  return fieldRefused(fieldPath, `the provider refuses it: ${code}`)
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return value !== undefined && isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
