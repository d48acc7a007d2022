import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '../../protocol/wire/failures.ts'

/** The characters of a host and a port (RFC 9110, 7.2). The host may be empty. */
const hostPattern = /^[\w.~!$&'()*+,;=%:[\]-]*$/

/**
 * Refuses what RFC 9112, 3.2 has refused: a request of HTTP/1.1 without Host, and any with two or with one that is no
 * host. Where two programs read different hosts, they may also read different requests, so the connection ends.
 */
export function refuseHost(
  { rawHeaders, httpVersion }: Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>,
  response: Pick<ServerResponse, 'setHeader'>,
): void {
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host')
  const isEnough = hosts.length === 1 || (hosts.length === 0 && httpVersion !== '1.1')
  if (isEnough && hosts.every((host) => hostPattern.test(host))) return
  response.setHeader('connection', 'close')
  throw new Failure('FIELD_INVALID', { fieldPath: 'Host', expected: 'sent once, as the name of the server' })
}
