import type { IncomingMessage } from 'node:http'
import { type IpRange, isInRange, parseIpAddress } from '../../protocol/wire/ip_ranges.ts'

/** More hops than any chain of proxies has. A client writes thousands into one header. */
export const hopsMax = 64

/**
 * The address from which a request came: the other end of its connection. If that is a trusted proxy, `X-Forwarded-For`
 * says it. Each proxy appends the address from which it got the request, so the rightmost that is no trusted proxy
 * counts. Anybody could have written the addresses before it. Undefined: not known, which it is not either behind
 * `hopsMax` trusted proxies.
 */
export function sourceAddressOf(
  {
    socket,
    rawHeaders,
  }: Pick<IncomingMessage, 'rawHeaders'> & { readonly socket: { readonly remoteAddress?: string | undefined } },
  trustedProxies: readonly IpRange[],
): string | undefined {
  // A link-local address comes with the name of the interface, which says nothing about the other end.
  const remoteAddress = socket.remoteAddress?.split('%', 1)[0]
  if (remoteAddress === undefined || trustedProxies.length === 0) return remoteAddress
  const hops = [...forwardedFor(rawHeaders), remoteAddress]
  for (const hop of hops.slice(-hopsMax).toReversed()) {
    const address = addressIn(hop)
    if (parseIpAddress(address) === undefined) return undefined
    if (!isTrusted(address, trustedProxies)) return address
  }
  return hops.length > hopsMax ? undefined : addressIn(hops[0] ?? '')
}

export function isTrusted(address: string, trustedProxies: readonly IpRange[]): boolean {
  if (trustedProxies.length === 0) return false
  const parsed = parseIpAddress(address)
  return parsed !== undefined && trustedProxies.some((range) => isInRange(parsed, range))
}

/** The parts of every occurrence of the header, in order. */
function forwardedFor(rawHeaders: readonly string[]): readonly string[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && name.toLowerCase() === 'x-forwarded-for' ? (rawHeaders[index + 1] ?? '').split(',') : [],
  )
}

/** The address without the port that some proxies write: `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::1`, `[2001:db8::1]:4711`. */
function addressIn(text: string): string {
  const trimmed = text.trim()
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([0-9.]+):\d+)$/.exec(trimmed) ?? []
  return bracketed ?? plain ?? trimmed
}
