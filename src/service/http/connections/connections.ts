import type { Socket } from 'node:net'
import type { IpRange } from '../../../protocol/wire/ip_ranges.ts'
import type { Log } from '../../log.ts'
import { isTrusted, networkOf } from '../source_address.ts'
import { Connection, type Patience } from './connection.ts'
import { ReadingTurns } from './reading_turns.ts'

export type ConnectionsMax = { readonly all: number; readonly ofPeer: number }

/** A proxy that nobody declared is one peer: it may have all watches, and as many requests. */
export const connectionsMaxDefault: ConnectionsMax = { all: 8_192, ofPeer: 4_096 }

/** What a server may have open besides: 50 files and sockets at rest, 60 deliveries, the pipes of 64 vaults. */
const otherFilesMax = 384

/** Without room for one more file nothing is accepted, and no connection makes room for another. */
export function connectionsMaxWith(openFilesMax: number | undefined): ConnectionsMax {
  if (openFilesMax === undefined) return connectionsMaxDefault
  const all = Math.min(connectionsMaxDefault.all, openFilesMax - otherFilesMax)
  return { all, ofPeer: Math.min(connectionsMaxDefault.ofPeer, Math.ceil(all / 2)) }
}

/** The log says at most so often that there are too many. */
const warningMs = 60_000

type Peer = {
  /** Of its first connection, for the log. */
  readonly address: string
  readonly connections: Set<Connection>
  /** Those that wait for their clients, the longest first. */
  readonly waiting: Set<Connection>
}

type ConnectionsParts = {
  readonly max: ConnectionsMax
  readonly patience: Patience
  readonly trustedProxies: readonly IpRange[]
  readonly log: Log
}

/**
 * The connections of all clients. A connection over a bound takes the place of the one that has waited longest for its
 * client, of its own peer or, if there are too many in all, of the peer with the most. So only requests that the server
 * works on keep a place.
 */
export class Connections {
  readonly #parts: ConnectionsParts
  readonly #peers = new Map<string, Peer>()
  readonly #turns = new ReadingTurns()
  #count = 0
  #warnedMs = Number.NEGATIVE_INFINITY

  constructor(parts: ConnectionsParts) {
    this.#parts = parts
  }

  /** Undefined for a connection that has ended, or that is ended because there is no place. */
  admit(socket: Socket): Connection | undefined {
    // A connection that was reset has no address any more. A request without an address would bypass allowlists that
    // admit unknown addresses.
    const { remoteAddress } = socket
    if (remoteAddress === undefined || !this.#makePlace(remoteAddress)) {
      socket.destroy()
      return undefined
    }
    return this.#add(socket, remoteAddress)
  }

  #makePlace(remoteAddress: string): boolean {
    const { max, trustedProxies } = this.#parts
    const own = this.#peers.get(networkOf(remoteAddress))
    if (own !== undefined && own.connections.size >= max.ofPeer && !isTrusted(remoteAddress, trustedProxies)) {
      return this.#endWaiting(own)
    }
    return this.#count < max.all || this.#endWaiting(this.#largestPeer())
  }

  #endWaiting(peer: Peer | undefined): boolean {
    const [longest] = peer?.waiting ?? []
    if (performance.now() - this.#warnedMs > warningMs) {
      this.#warnedMs = performance.now()
      const about = { connections: this.#count, peer: peer?.address, ofPeer: peer?.connections.size }
      this.#parts.log.warn(about, 'too many connections: a further one ends one that waits for its client, or is ended')
    }
    longest?.destroy()
    return longest !== undefined
  }

  #largestPeer(): Peer | undefined {
    let largest: Peer | undefined
    for (const peer of this.#peers.values()) {
      if (peer.connections.size > (largest?.connections.size ?? 0)) largest = peer
    }
    return largest
  }

  #add(socket: Socket, remoteAddress: string): Connection {
    const { patience, trustedProxies } = this.#parts
    const network = networkOf(remoteAddress)
    const peer = this.#peers.get(network) ?? { address: remoteAddress, connections: new Set(), waiting: new Set() }
    this.#peers.set(network, peer)
    // The connections of a trusted proxy are of many clients, so each has turns of its own.
    const isShared = isTrusted(remoteAddress, trustedProxies)
    const connection = new Connection(socket, remoteAddress, {
      patience,
      owner: {
        onArrived: (arrived, more) => this.#turns.ask(isShared ? arrived : peer, arrived, more),
        onChange(changed) {
          if (changed.waitsForClient && !changed.destroyed) peer.waiting.add(changed)
          else peer.waiting.delete(changed)
        },
      },
    })
    this.#count += 1
    peer.connections.add(connection)
    peer.waiting.add(connection)
    connection.once('close', () => {
      this.#count -= 1
      peer.waiting.delete(connection)
      peer.connections.delete(connection)
      if (peer.connections.size === 0) this.#peers.delete(network)
    })
    return connection
  }
}
