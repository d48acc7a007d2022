import type { Duplex } from 'node:stream'

/** Requests that Node's parser refuses before they begin; every other error is no valid HTTP. */
const refusals: ReadonlyMap<unknown, { readonly status: string; readonly message: string }> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    { status: '431 Request Header Fields Too Large', message: 'the headers are too large or too many' },
  ],
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: '408 Request Timeout', message: 'the request took too long to arrive' }],
])
const notHttp = { status: '400 Bad Request', message: 'bad request: this is not valid HTTP' }

/**
 * Answers what is not HTTP, has more headers than fit or does not arrive, in the shape that clients can read. While
 * another request of the connection is being decided nothing is answered, since it would be taken for that one's answer.
 */
export function answerBrokenRequest(
  error: Error & { readonly code?: unknown },
  socket: Duplex,
  { isBusy }: { readonly isBusy: boolean },
): void {
  if (socket.destroyed) return
  if (isBusy || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const { status, message } = refusals.get(error.code) ?? notHttp
  const body = JSON.stringify({ code: 3, message, details: [] })
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Access-Control-Allow-Origin: *',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
