import type { Log } from '../../link/vault_log.ts'
import type { CodeGrant, Oauth2Endpoints, Oauth2EndpointTable, Oauth2User } from '../../operations/oauth2.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { isJsonObject, type JsonValue } from '../../protocol/wire/json.ts'
import { FetchError, type FetchJson } from './fetch_json.ts'

/** For both fetches; a call to the vault has ten seconds. */
const exchangeMsMax = 7_000
/** A decision that is made again has to find what came of its code: a provider exchanges each once. Then it is zeroed. */
const keptMs = 60_000
/** Each holds one of the vault's pipes for as long as its provider takes: the others are to find some too. */
const runningOfOneMax = 8
/** Fewer than there are pipes: those who verify ID tokens need some as well. */
const runningMax = 48
/** It is kept as well, and goes out in a header. */
const accessTokenCharactersMax = 16_384

/** The user to whom the provider gave the code. `fingerprint`: of the request that brings it, which gets it again. */
export type ExchangeCode = (
  grant: CodeGrant,
  request: { readonly fingerprint: string; readonly organizationId: string },
) => Promise<Oauth2User>

/**
 * The authorization code grant (RFC 6749, 4.1.3) with PKCE (RFC 7636), and then the question who the user is. Throws
 * FIELD_INVALID for a code or client that the provider refuses, UNAVAILABLE when it cannot be asked, and the log has why, or
 * while too many others are being asked.
 */
export function createExchangeCode({
  endpoints,
  fetchJson,
  log,
}: {
  readonly endpoints: Oauth2EndpointTable
  readonly fetchJson: FetchJson
  readonly log: Pick<Log, 'warn'>
}): ExchangeCode {
  const kept = new Map<string, Promise<Oauth2User>>()
  /** The organization of each exchange that is under way. */
  const running: string[] = []

  function keep(fingerprint: string, user: Oauth2User): Oauth2User {
    const forget = () => {
      kept.delete(fingerprint)
      user.accessToken[Symbol.dispose]()
    }
    setTimeout(forget, keptMs).unref()
    return user
  }

  function requireRoom(organizationId: string): void {
    const own = running.filter((one) => one === organizationId)
    if (own.length < runningOfOneMax && running.length < runningMax) return
    throw new Failure('UNAVAILABLE', { reason: 'too many OAuth 2.0 logins are under way' })
  }

  async function exchangeNow(grant: CodeGrant, organizationId: string): Promise<Oauth2User> {
    requireRoom(organizationId)
    running.push(organizationId)
    try {
      return await exchange(fetchJson, endpoints[grant.provider], grant)
    } catch (cause) {
      if (!(cause instanceof FetchError)) throw cause
      log.warn({ provider: grant.provider, error: cause }, 'an OAuth 2.0 provider cannot be asked')
      throw new Failure('UNAVAILABLE', { reason: `the OAuth 2.0 provider cannot be asked: ${cause.message}`, cause })
    } finally {
      running.splice(running.indexOf(organizationId), 1)
    }
  }

  return (grant, { fingerprint, organizationId }) => {
    const known = kept.get(fingerprint)
    if (known !== undefined) return known
    const user = exchangeNow(grant, organizationId).then(
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

/** RFC 6749, 5.2 */
function refusal(url: string, status: number, error: JsonValue | undefined): Error {
  const code = typeof error === 'string' && /^[a-z_]{1,64}$/.test(error) ? error : undefined
  if (status >= 500 || code === undefined) return new FetchError(`${url}: it answers ${status}`)
  const isClient = code === 'invalid_client' || code === 'unauthorized_client'
  const fieldPath = isClient ? 'parameters.oauth2CredentialId' : 'parameters.authCode'
  return new Failure('FIELD_INVALID', { fieldPath, reason: `the provider refuses it: ${code}` })
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return value !== undefined && isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
