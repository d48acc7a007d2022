import { createLocalJWKSet } from 'jose/jwks/local'
import type { Log } from '../../link/vault_log.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { JsonObject } from '../../protocol/wire/json.ts'
import type { FetchedJson, FetchJson } from './fetch_json.ts'

/** The keys that verify the tokens of an issuer. */
export type IssuerKeys = {
  /** The algorithms of `tokenAlgorithms` in which the issuer signs. */
  readonly algorithms: readonly string[]
  /** Finds the key that a token's header names. */
  readonly keyOf: ReturnType<typeof createLocalJWKSet>
}

export const tokenAlgorithms: readonly string[] = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']

const keptMsMin = 60_000
const keptMsMax = 3_600_000
const keptMsUnsaid = 600_000
/** The shortest time between two fetches for keys that lack or do not fit: invented ones must not flood an issuer. */
const renewMsMin = 60_000
/**
 * For how long a failure is repeated without another fetch. Each further one doubles the time: the handshake of an
 * issuer whose certificates are costly takes a tenth of a second of the vault.
 */
const failedMsMin = 1_000
const failedMsMax = 16_000
/** The limit for both fetches together. Two issuers in sequence still fit into the deadline of a call to the vault. */
const fetchKeysMsMax = 4_000
const keysMax = 100

type Known = { readonly keys: IssuerKeys; readonly freshUntilMs: number }

export type IssuerKeySource = {
  /** Returns the kept keys, or fetches them. If `isKept`, the keys may be older than the token. */
  current(issuer: string, nowMs: number): Promise<{ readonly keys: IssuerKeys; readonly isKept: boolean }>
  /**
   * Fetches the keys because the kept ones lack a key, or have another one of its name. Undefined if that was done less
   * than `renewMsMin` ago.
   */
  renewed(issuer: string, nowMs: number): Promise<IssuerKeys | undefined>
}

type IssuerKeysParts = { readonly fetchJson: FetchJson; readonly log: Pick<Log, 'warn'> }

/**
 * Fetches the keys of issuers (OpenID Connect Discovery 1.0, section 4; RFC 7517) and keeps them in memory for as long
 * as the issuer says, a minute at least and an hour at most. Concurrent calls for the same issuer share one fetch.
 * Throws UNAVAILABLE if the keys cannot be fetched; the log says why.
 */
export function createIssuerKeys({ fetchJson, log }: IssuerKeysParts): IssuerKeySource {
  const known = new Map<string, Known>()
  const renewedAtMs = new Map<string, number>()
  const fetching = new Map<string, Promise<IssuerKeys>>()
  const failed = new Map<string, { readonly untilMs: number; readonly lastsMs: number; readonly failure: Failure }>()

  async function fetchOnce(issuer: string, nowMs: number): Promise<IssuerKeys> {
    const lastFailure = failed.get(issuer)
    if (lastFailure !== undefined && nowMs < lastFailure.untilMs) throw lastFailure.failure
    try {
      const { keys, keptMs } = await fetchKeys(fetchJson, issuer)
      known.set(issuer, { keys, freshUntilMs: nowMs + keptMs })
      failed.delete(issuer)
      return keys
    } catch (cause) {
      log.warn({ issuer, error: cause }, 'the keys of an issuer cannot be fetched')
      const reason = `the keys of the issuer ${issuer} cannot be fetched: ${cause instanceof Error ? cause.message : ''}`
      const failure = new Failure('UNAVAILABLE', { reason, cause })
      const lastsMs = lastFailure === undefined ? failedMsMin : Math.min(2 * lastFailure.lastsMs, failedMsMax)
      failed.set(issuer, { untilMs: nowMs + lastsMs, lastsMs, failure })
      throw failure
    }
  }

  function fetchShared(issuer: string, nowMs: number): Promise<IssuerKeys> {
    const running = fetching.get(issuer)
    if (running !== undefined) return running
    const fetched = fetchOnce(issuer, nowMs).finally(() => fetching.delete(issuer))
    fetching.set(issuer, fetched)
    return fetched
  }

  return {
    async current(issuer, nowMs) {
      const kept = known.get(issuer)
      if (kept !== undefined && nowMs < kept.freshUntilMs) return { keys: kept.keys, isKept: true }
      return { keys: await fetchShared(issuer, nowMs), isKept: false }
    },
    async renewed(issuer, nowMs) {
      const running = fetching.get(issuer)
      if (running !== undefined) return running
      if (nowMs - (renewedAtMs.get(issuer) ?? Number.NEGATIVE_INFINITY) < renewMsMin) return undefined
      const keys = await fetchShared(issuer, nowMs)
      renewedAtMs.set(issuer, nowMs) // a failed fetch does not count: the issuer may have the key
      return keys
    },
  }
}

async function fetchKeys(fetchJson: FetchJson, issuer: string): Promise<{ keys: IssuerKeys; keptMs: number }> {
  const signal = AbortSignal.timeout(fetchKeysMsMax)
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { json: configuration } = requireOk(url, await fetchJson({ url, signal }))
  if (configuration.issuer !== issuer) throw new Error(`${url}: it is the configuration of another issuer`)
  const { jwks_uri: keysUrl } = configuration
  if (typeof keysUrl !== 'string') throw new Error(`${url}: it has no jwks_uri`)
  const fetched = requireOk(keysUrl, await fetchJson({ url: keysUrl, signal }))
  const keys = issuerKeysOf(fetched.json, algorithmsOf(configuration))
  return { keys, keptMs: keptMsOf(fetched.cacheControl) }
}

/** Reads a set of keys (RFC 7517, section 5). Throws if `jwks` is not one. */
export function issuerKeysOf(jwks: JsonObject, algorithms: readonly string[]): IssuerKeys {
  if (!hasKeys(jwks)) throw new Error('JSON Web Key Set malformed: it has no list of keys')
  if (jwks.keys.length > keysMax) throw new Error(`it has more than ${keysMax} keys`)
  return { algorithms, keyOf: createLocalJWKSet(jwks) }
}

/** jose checks each key. */
function hasKeys(jwks: JsonObject): jwks is JsonObject & Parameters<typeof createLocalJWKSet>[0] {
  return Array.isArray(jwks.keys)
}

function requireOk(url: string, fetched: FetchedJson): FetchedJson {
  if (fetched.status === 200) return fetched
  throw new Error(`${url}: it answers ${fetched.status}`)
}

function algorithmsOf({ id_token_signing_alg_values_supported: offered }: JsonObject): readonly string[] {
  const algorithms = Array.isArray(offered) ? tokenAlgorithms.filter((name) => offered.includes(name)) : []
  if (algorithms.length > 0) return algorithms
  throw new Error(`it offers none of the algorithms ${tokenAlgorithms.join(', ')}`)
}

/** Returns how long keys are kept, from the cache directives (RFC 9111, section 5.2.2) that say how long. */
function keptMsOf(cacheControl = ''): number {
  const directives = cacheControl
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim())
  if (directives.includes('no-store') || directives.includes('no-cache')) return keptMsMin
  const maxAge = directives.map((directive) => /^max-age="?(\d{1,9})"?$/.exec(directive)?.[1]).find(Boolean)
  if (maxAge === undefined) return keptMsUnsaid
  return Math.min(Math.max(Number(maxAge) * 1_000, keptMsMin), keptMsMax)
}
