import type { Oauth2EndpointTable } from '../../../contract/oauth2.ts'
import { destinationOf } from '../../../protocol/wire/destination.ts'
import { isLoopbackHttp } from '../../../protocol/wire/loopback.ts'
import { destinationKey } from './dial.ts'

/** Hosts of the keys of well-known issuers, where that is not the issuer's own host. */
const keyHostsKnown: ReadonlyMap<string, string> = new Map([
  ['accounts.google.com', 'www.googleapis.com'],
  ['securetoken.google.com', 'www.googleapis.com'],
])

/**
 * Whether a token can name the address as its issuer (OpenID Connect Core 1.0, section 2). HTTP on loopback passes too.
 */
export function isIssuer(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || `${url.username}${url.password}${url.search}${url.hash}` !== '') return false
  return url.protocol === 'https:' || isLoopbackHttp(url)
}

/** Whether the text is `host` or `host:port`. */
export function isKeyHost(text: string): boolean {
  const url = URL.parse(`https://${text}`)
  return url !== null && !text.includes('*') && [url.host, `${url.host}:443`].includes(text.toLowerCase())
}

type Issuers = { readonly oidcIssuers: readonly string[]; readonly oidcKeyHosts: readonly string[] }

/** Destinations to which the vault may connect to verify tokens: the issuers and the hosts of their keys. */
export function issuerDestinations({ oidcIssuers, oidcKeyHosts }: Issuers): ReadonlySet<string> {
  const issuers = oidcIssuers.map((issuer) => new URL(issuer))
  const known = issuers.flatMap(({ hostname }) => keyHostsKnown.get(hostname) ?? [])
  const keyHosts = [...oidcKeyHosts, ...known].map((host) => new URL(`https://${host}`))
  return new Set([...issuers, ...keyHosts].map((url) => destinationKey(destinationOf(url))))
}

/** Destinations to which the vault may connect to exchange OAuth 2.0 codes. */
export function oauth2Destinations(endpoints: Oauth2EndpointTable): ReadonlySet<string> {
  const urls = Object.values(endpoints).flatMap(({ tokenUrl, userUrl }) => [tokenUrl, userUrl])
  return new Set(urls.map((url) => destinationKey(destinationOf(new URL(url)))))
}
