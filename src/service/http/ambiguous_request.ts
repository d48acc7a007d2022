import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '../../protocol/wire/failures.ts'

/** The characters of a host and a port (RFC 9110, 7.2). The host may be empty. */
const hostPattern = /^[\w.~!$&'()*+,;=%:[\]-]*$/

type Headers = Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>

/**
 * Refuses a request that another program may read as another one, and ends its connection: what follows may be no request
 * either. RFC 9112, 3.2 has refused one of HTTP/1.1 without Host, and any with two or with one that is no host. A program
 * of HTTP/1.0 knows no chunks (RFC 9112, 6.1).
 */
export function refuseAmbiguous(request: Headers, response: Pick<ServerResponse, 'setHeader'>): void {
  const fault = faultOf(request)
  if (fault === undefined) return
  response.setHeader('connection', 'close')
  throw fault
}

function faultOf({ rawHeaders, httpVersion }: Headers): Failure | undefined {
  const valuesOf = (name: string) =>
    rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
  const hosts = valuesOf('host')
  const isEnough = hosts.length === 1 || (hosts.length === 0 && httpVersion !== '1.1')
  if (!isEnough || !hosts.every((host) => hostPattern.test(host))) {
    return new Failure('FIELD_INVALID', { fieldPath: 'Host', expected: 'sent once, as the name of the server' })
  }
  if (httpVersion !== '1.1' && valuesOf('transfer-encoding').length > 0) {
    return new Failure('FIELD_INVALID', { fieldPath: 'Transfer-Encoding', expected: 'sent with HTTP/1.1' })
  }
  return undefined
}
