import { type LookupAddress, lookup } from 'node:dns'
import { connect, isIP, type LookupFunction, Socket } from 'node:net'
import type { OpenPipe } from '../../link/verbs.ts'
import type { Destination } from '../../protocol/wire/destination.ts'
import { isPublicAddress } from './public_address.ts'

/**
 * Connections that the vault asks for: bytes in and bytes out, which are TLS between the vault and the other side. Only
 * to destinations that follow from the settings, and unless those say otherwise only to public addresses; that is looked
 * at when the connection is made, so a name that changes its address in between gains nothing.
 */

type Rules = {
  /** As `destinationKey` writes them. */
  readonly destinations: ReadonlySet<string>
  readonly privateAddresses: boolean
  /** The vault gives up long before: this ends what it forgot. */
  readonly connectionMsMax?: number
}

/** Gives a stream at once; what is not allowed or fails is an error of that stream, whose message the vault is told. */
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

/** Answers public addresses only, so that the one to which the socket connects is one of those that were looked at. */
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
