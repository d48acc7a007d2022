import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns'
import { connect, isIP, type LookupFunction, Socket } from 'node:net'
import type { OpenPipe } from '../../../link/verbs.ts'
import type { Destination } from '../../../protocol/wire/destination.ts'
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

const privateSetting = 'CLAVIGER_PRIVATE_DESTINATIONS'

/**
 * Returns a stream at once. A refused or failed connection is an error of that stream, whose message the vault gets.
 */
export function createDial({ destinations, privateAddresses, connectionMsMax = 15_000 }: Rules): OpenPipe {
  return ({ host, port }) => {
    const key = destinationKey({ host, port })
    if (!destinations.has(key)) {
      const reason = `${key} is no destination of the settings: see CLAVIGER_OIDC_ISSUERS and CLAVIGER_OIDC_KEY_HOSTS`
      return failed(new Error(reason))
    }
    if (isIP(host) !== 0 && !privateAddresses && !isPublicAddress(host)) {
      return failed(new PrivateAddressError(host, privateSetting))
    }
    const socket = connect({ host, port, lookup: privateAddresses ? lookup : publicLookup(privateSetting) })
    const timer = setTimeout(() => socket.destroy(new Error('the connection was open for too long')), connectionMsMax)
    socket.on('close', () => clearTimeout(timer))
    return socket
  }
}

/** `host:port`, in lower case; an IPv6 address in brackets. */
export function destinationKey({ host, port }: Destination): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`.toLowerCase()
}

/** The host has no public address. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError'

  constructor(host: string, setting: string) {
    super(`${host} has no public address: set ${setting} to allow if that is meant`)
  }
}

/** Throws for an address that is not public. Names pass: `publicLookup` judges their addresses. */
export function requirePublicHost(host: string, setting: string): void {
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw new PrivateAddressError(host, setting)
}

/** Finds all addresses of a name, as `lookup` of Node does. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Answers public addresses only, so that the socket connects to an address that was checked. */
export function publicLookup(setting: string, resolve: Resolve = lookup): LookupFunction {
  return lookupOf(resolve, isPublicAddress, (hostname) => new PrivateAddressError(hostname, setting))
}

export function anyLookup(resolve: Resolve): LookupFunction {
  const isAllowed = () => true
  return lookupOf(resolve, isAllowed, (hostname) => new Error(`${hostname} has no address`))
}

function lookupOf(
  resolve: Resolve,
  isAllowed: (address: string) => boolean,
  refusalOf: (hostname: string) => Error,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [])
      const allowed = addresses.filter(({ address }) => isAllowed(address))
      const [first]: LookupAddress[] = allowed
      if (first === undefined) return callback(refusalOf(hostname), [])
      if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

function failed(reason: Error): Socket {
  return new Socket().destroy(reason)
}
