import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { type SecureContext, connect as startTls, type TLSSocket } from 'node:tls'
import { destinationOf } from '../../../protocol/wire/destination.ts'

/**
 * So much may come before the other side has proved its name. Its certificates are in it, and OpenSSL verifies the
 * signatures of all before anybody asks who vouches for them: of 100 KB that takes a tenth of a second.
 */
export const handshakeBytesMax = 32_768

type Connecting = { readonly secureContext: SecureContext; readonly lookup: LookupFunction }

/** Connects to another host by TLS, for HTTP. */
export function connectTls(url: URL, { secureContext, lookup }: Connecting): TLSSocket {
  const { host, port } = destinationOf(url)
  const { stream, proved } = boundedUntilProved(connect({ host, port, lookup }))
  const secured = startTls({
    socket: stream,
    host, // what the certificate must be for
    ...(isIP(host) === 0 ? { servername: host } : {}), // RFC 6066: no address in the server name indication
    secureContext,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  })
  secured.once('secureConnect', proved)
  return secured
}

/** The bytes of a connection. TLS reads those of a socket itself, where nobody can count them. */
function boundedUntilProved(socket: Socket) {
  let left = handshakeBytesMax
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (chunk, _encoding, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy()
      done(error)
    },
  })
  socket.on('data', (chunk: Uint8Array) => {
    left -= chunk.length
    if (left < 0) stream.destroy(new HandshakeTooLong(`its handshake is longer than ${handshakeBytesMax} bytes`))
    else if (!stream.push(chunk)) socket.pause()
  })
  socket.on('end', () => stream.push(null))
  socket.on('error', (error) => stream.destroy(error))
  const proved = () => {
    left = Number.POSITIVE_INFINITY
  }
  return { stream, proved }
}

class HandshakeTooLong extends Error {
  override readonly name = 'HandshakeTooLong'
  readonly code = 'HANDSHAKE_TOO_LONG'
}
