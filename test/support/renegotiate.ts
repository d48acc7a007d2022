import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'

/** Begins a second TLS handshake on the connection of a request (TLS 1.2 has that) and answers behind it. */
export function renegotiateFirst(request: IncomingMessage, response: ServerResponse): void {
  const socket = request.socket as TLSSocket
  request.resume().on('end', () => {
    socket.renegotiate({}, (error) => (error === null ? response.end('{}') : socket.destroy()))
  })
}
