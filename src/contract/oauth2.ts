import type { SecretBytes } from '../protocol/crypto/secret_bytes.ts'
import { isLoopbackHttp } from '../protocol/wire/loopback.ts'
import { type Oauth2Provider, oauth2Providers } from './records/provider_names.ts'

/** The endpoints of an OAuth 2.0 provider without ID tokens: one exchanges codes, one says who the user is. */
export type Oauth2Endpoints = {
  /** The prefix of the user's id in `sub`, as in `x:123`. */
  readonly subjectPrefix: string
  readonly tokenUrl: string
  readonly userUrl: string
  /** The path of the user's id in the answer of `userUrl`. */
  readonly userIdPath: readonly string[]
}
export type Oauth2EndpointTable = Readonly<Record<Oauth2Provider, Oauth2Endpoints>>

/** The endpoints of the providers unless the operator sets others: X and Discord. */
export const oauth2EndpointsKnown: Oauth2EndpointTable = {
  OAUTH2_PROVIDER_PROVIDER_A: {
    subjectPrefix: 'x',
    tokenUrl: 'https://api.x.com/2/oauth2/token',
    userUrl: 'https://api.x.com/2/users/me',
    userIdPath: ['data', 'id'],
  },
  OAUTH2_PROVIDER_PROVIDER_B: {
    subjectPrefix: 'discord',
    tokenUrl: 'https://discord.com/api/oauth2/token',
    userUrl: 'https://discord.com/api/users/@me',
    userIdPath: ['id'],
  },
}

/** An authorization code that a provider gave an end user, with the client that may exchange it (RFC 6749, 4.1.3). */
export type CodeGrant = {
  readonly provider: Oauth2Provider
  readonly clientId: string
  /** UTF-8 */
  readonly clientSecret: SecretBytes
  readonly authCode: string
  /** RFC 7636, 4.5 */
  readonly codeVerifier: string
  readonly redirectUri: string
}

export type Oauth2User = {
  /** `x:123` */
  readonly subject: string
  /** The provider's bearer token in UTF-8. The caller must not dispose of it. */
  readonly accessToken: SecretBytes
}

/**
 * Reads the table of endpoints from JSON: an object with a member, under either name, for each provider whose endpoints
 * differ from the known ones. Throws an error that names the wrong member.
 */
export function readOauth2Endpoints(json: unknown): Oauth2EndpointTable {
  const given = members('the providers', json)
  const names = oauth2Providers.flatMap(({ spec, hosted }) => [spec, hosted] as string[])
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Error(`${unknown}: the providers are ${names.join(', ')}`)
  const entries = oauth2Providers.map(({ spec, hosted }) => {
    const value = given[spec] ?? given[hosted]
    return [spec, value === undefined ? oauth2EndpointsKnown[spec] : readEndpoints(spec, value)] as const
  })
  const prefixes = new Set(entries.map(([, { subjectPrefix }]) => subjectPrefix))
  if (prefixes.size < entries.length) throw new Error('subjectPrefix: two providers have the same')
  return Object.fromEntries(entries) as Oauth2EndpointTable
}

function readEndpoints(name: string, json: unknown): Oauth2Endpoints {
  const { subjectPrefix, tokenUrl, userUrl, userIdPath, ...others } = members(name, json)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Error(`${name}.${unknown}: there is no such member`)
  if (typeof subjectPrefix !== 'string' || !/^[a-z0-9-]{1,32}$/.test(subjectPrefix)) {
    throw new Error(`${name}.subjectPrefix: expected 1 to 32 of a to z, 0 to 9 and -`)
  }
  const isPath = Array.isArray(userIdPath) && userIdPath.length > 0 && userIdPath.every((at) => typeof at === 'string')
  if (!isPath) throw new Error(`${name}.userIdPath: expected a list of names`)
  return {
    subjectPrefix,
    tokenUrl: readUrl(`${name}.tokenUrl`, tokenUrl),
    userUrl: readUrl(`${name}.userUrl`, userUrl),
    userIdPath,
  }
}

function readUrl(name: string, value: unknown): string {
  const url = typeof value === 'string' ? URL.parse(value) : null
  const isAllowed = url !== null && (url.protocol === 'https:' || isLoopbackHttp(url))
  if (isAllowed && `${url.username}${url.password}${url.hash}` === '') return url.href
  throw new Error(
    `${name}: expected an https address, or an http one of this machine, without user, password and fragment`,
  )
}

function members(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${name}: expected an object`)
  return value as Readonly<Record<string, unknown>>
}
