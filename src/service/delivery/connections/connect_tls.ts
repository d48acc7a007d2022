import { connect, isIP, type LookupFunction } from 'node:net'
import { type SecureContext, connect as startTls, type TLSSocket } from 'node:tls'
import { limitBelowTls, type RunInTurn } from '../../../link/tls_limit.ts'
import { destinationOf } from '../../../protocol/wire/destination.ts'

/** A connection has so much after its handshake: twice what is read of an answer. */
export const securedBytesMax = 131_072

export type Connecting = {
  readonly secureContext: SecureContext
  readonly lookup: LookupFunction
  /** The body of the request that is sent. */
  readonly bodyBytes: number
  /** Runs a step of TLS in its turn: see `limitBelowTls`. */
  readonly runInTurn?: RunInTurn | undefined
}

/** Connects to another host by TLS, for HTTP. */
export function connectTls(url: URL, { secureContext, lookup, bodyBytes, runInTurn }: Connecting): TLSSocket {
  const { host, port } = destinationOf(url)
  const raw = connect({ host, port, lookup })
  const { stream, protects } = limitBelowTls(raw, { securedBytesMax, bodyBytes, runInTurn })
  const secured = startTls({
    socket: stream,
    host, // what the certificate must be for
    ...(isIP(host) === 0 ? { servername: host } : {}), // RFC 6066: no address in the server name indication
    secureContext,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  })
  protects(secured)
  return secured
}
