import { type LookupAddress, lookup } from 'node:dns'
import { connect, isIP, type LookupFunction, Socket } from 'node:net'
import type { OpenPipe } from '../../link/verbs.ts'
import type { Destination } from '../../protocol/wire/destination.ts'
import { isPublicAddress } from './public_address.ts'

/**
 * Connections that the vault asks for. They carry TLS between the vault and the other side. They lead only to
 * destinations of the settings, and only to public addresses unless the settings allow others. The address is checked
 * when the connection is made, so a name that changes its address gains nothing.
 */

type Rules = {
  /** As `destinationKey` writes them. */
  readonly destinations: ReadonlySet<string>
  readonly privateAddresses: boolean
  /** Ends connections that the vault forgot. The vault itself gives up long before. */
  readonly connectionMsMax?: number
}

/**
 * Returns a stream at once. A refused or failed connection is an error of that stream, whose message the vault gets.
 */
export function createDial({ destinations, privateAddresses, connectionMsMax = 15_000 }: Rules): OpenPipe {
  return ({ host, port }) => {
    const key = destinationKey({ host, port })
    if (!destinations.has(key)) {
      return failed(`${key} is no destination of the settings: see CLAVIGER_OIDC_ISSUERS and CLAVIGER_OIDC_KEY_HOSTS`)
    }
    if (isIP(host) !== 0 && !privateAddresses && !isPublicAddress(host)) return failed(privateText(host))
    const socket = connect({ host, port, lookup: privateAddresses ? lookup : publicLookup })
    const timer = setTimeout(() => socket.destroy(new Error('the connection was open for too long')), connectionMsMax)
    socket.on('close', () => clearTimeout(timer))
    return socket
  }
}

/** `host:port`, in lower case; an IPv6 address in brackets. */
export function destinationKey({ host, port }: Destination): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`.toLowerCase()
}

/** Answers public addresses only, so that the socket connects to an address that was checked. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, [])
    const allowed = addresses.filter(({ address }) => isPublicAddress(address))
    const [first]: LookupAddress[] = allowed
    if (first === undefined) return callback(new Error(privateText(hostname)), [])
    if (options.all === true) callback(null, allowed)
    else callback(null, first.address, first.family)
  })
}

function privateText(host: string): string {
  return `${host} has no public address: set CLAVIGER_PRIVATE_DESTINATIONS to allow if that is meant`
}

function failed(reason: string): Socket {
  return new Socket().destroy(new Error(reason))
}
