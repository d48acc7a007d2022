import type { Oauth2EndpointTable } from '../../operations/oauth2.ts'
import { destinationOf } from '../../protocol/wire/destination.ts'
import { isLoopbackHttp } from '../../protocol/wire/loopback.ts'
import { destinationKey } from './dial.ts'

/** Where keys of well-known issuers are kept, when that is not where the issuer is. */
const keyHostsKnown: ReadonlyMap<string, string> = new Map([
  ['accounts.google.com', 'www.googleapis.com'],
  ['securetoken.google.com', 'www.googleapis.com'],
])

/** An address that a token can name as its issuer (OpenID Connect Core 1.0, section 2), or one for development. */
export function isIssuer(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || `${url.username}${url.password}${url.search}${url.hash}` !== '') return false
  return url.protocol === 'https:' || isLoopbackHttp(url)
}

/** `host`, or `host:port` where it is not 443. */
export function isKeyHost(text: string): boolean {
  const url = URL.parse(`https://${text}`)
  return url !== null && !text.includes('*') && [url.host, `${url.host}:443`].includes(text.toLowerCase())
}

/** Where the vault may go to verify tokens: the issuers and the hosts that keep their keys. */
export function issuerDestinations({
  oidcIssuers,
  oidcKeyHosts,
}: {
  readonly oidcIssuers: readonly string[]
  readonly oidcKeyHosts: readonly string[]
}): ReadonlySet<string> {
  const issuers = oidcIssuers.map((issuer) => new URL(issuer))
  const known = issuers.flatMap(({ hostname }) => keyHostsKnown.get(hostname) ?? [])
  const keyHosts = [...oidcKeyHosts, ...known].map((host) => new URL(`https://${host}`))
  return new Set([...issuers, ...keyHosts].map((url) => destinationKey(destinationOf(url))))
}

/** Where the vault may go to exchange codes. */
export function oauth2Destinations(endpoints: Oauth2EndpointTable): ReadonlySet<string> {
  const urls = Object.values(endpoints).flatMap(({ tokenUrl, userUrl }) => [tokenUrl, userUrl])
  return new Set(urls.map((url) => destinationKey(destinationOf(new URL(url)))))
}
