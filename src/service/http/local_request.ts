import type { IncomingMessage } from 'node:http'
import { isInRange, parseIpAddress, parseIpRange } from '../../protocol/wire/ip_ranges.ts'

const loopback = ['127.0.0.0/8', '::1/128'].flatMap((range) => parseIpRange(range) ?? [])
/** Each proxy writes one of these. */
const forwardingHeaders: ReadonlySet<string> = new Set(['forwarded', 'via', 'x-real-ip'])

type IncomingRequest = Pick<IncomingMessage, 'headers' | 'httpVersion'> & {
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/**
 * Whether a person at this machine sent the request: to the name `localhost`, over a loopback address, and through no
 * proxy. A page of another name, which may lead to this machine too, has its own name in Host. No browser sends HTTP/1.0,
 * and nginx does where nothing else is set. A page that this server did not serve has another origin, although the browser
 * that shows it is on this machine. A proxy that sends HTTP/1.1, Host `localhost` and no header of its own cannot
 * be told from a person.
 */
export function isLocalRequest({ headers, httpVersion, socket }: IncomingRequest): boolean {
  // First, because it answers for nearly every request.
  if (!/^localhost(:\d{1,5})?$/i.test(headers.host ?? '')) return false
  if (Object.keys(headers).some((name) => name.startsWith('x-forwarded') || forwardingHeaders.has(name))) return false
  if (httpVersion !== '1.1') return false
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host?.toLowerCase()}`) return false
  const peer = parseIpAddress(socket.remoteAddress ?? '')
  return peer !== undefined && loopback.some((range) => isInRange(peer, range))
}
