import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { errorAnswer, Failure } from '../../protocol/wire/failures.ts'
import { jsonBytes } from '../../protocol/wire/json.ts'
import { reportIncident } from '../requests/incident.ts'
import { bodyBytesMax } from './body.ts'

/** Browsers call the interface directly, from any page: the stamp is the authentication, there are no cookies. */
export const commonHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after',
  'x-content-type-options': 'nosniff',
}

/** Clients compare the content type as a text: exactly this, without a character set. */
export function send(
  response: ServerResponse,
  status: number,
  body: Uint8Array,
  headers: OutgoingHttpHeaders = {},
): void {
  const type = { 'content-type': 'application/json', 'content-length': body.length }
  response.writeHead(status, { ...commonHeaders, ...type, ...headers })
  response.end(body)
}

export function sendEmpty(response: ServerResponse, status: number, headers: OutgoingHttpHeaders): void {
  response.writeHead(status, { ...commonHeaders, ...headers })
  response.end()
}

/** Every 503 says how long to wait, also one of the vault, which names no time. */
export function retryAfter(status: number, seconds = 1): OutgoingHttpHeaders {
  return status === 503 ? { 'retry-after': String(seconds) } : {}
}

/** A refusal in the interface's shape. Anything but a `Failure` is an incident. */
export function sendError(response: ServerResponse, error: unknown, about: Parameters<typeof reportIncident>[1]): void {
  const ends = endOfRefused(response)
  if (!(error instanceof Failure)) {
    const { status, body } = reportIncident(error, about)
    send(response, status, body, ends)
    return
  }
  const { httpStatus } = error
  send(response, httpStatus, jsonBytes(errorAnswer(error)), { ...retryAfter(httpStatus), ...ends })
}

/** The rest of a body that is too long, or whose end nobody knows, ends the connection with the refusal: to parse it to its end takes long. */
function endOfRefused({ req }: ServerResponse): OutgoingHttpHeaders {
  const isShort =
    req.headers['transfer-encoding'] === undefined && Number(req.headers['content-length'] ?? 0) <= bodyBytesMax
  return req.complete || isShort ? {} : { connection: 'close' }
}
