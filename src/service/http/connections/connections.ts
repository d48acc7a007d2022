import type { Socket } from 'node:net'
import type { IpRange } from '../../../protocol/wire/ip_ranges.ts'
import type { Log } from '../../process/log.ts'
import { networkOf } from '../../turns/network_of.ts'
import { isTrusted } from '../source_address.ts'
import { createBeginnings } from './beginnings.ts'
import { Connection, type Patience } from './connection.ts'
import { ReadingTurns } from './reading_turns.ts'
import { UnreadAnswers, type UnreadMax, unreadMaxDefault } from './unread_answers.ts'

export type { UnreadMax }

export type ConnectionsMax = { readonly all: number; readonly ofPeer: number }

/** A proxy that nobody declared is one peer: it may have all watches, and as many requests. */
export const connectionsMaxDefault: ConnectionsMax = { all: 8_192, ofPeer: 4_096 }

/** Other files that a server may have open: 50 files and sockets at rest, 60 deliveries, the pipes of 64 vaults. */
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
  /** The address of its first connection, for the log. */
  readonly address: string
  /** Whether it is a trusted proxy, whose connections are of many clients. */
  readonly isShared: boolean
  readonly connections: Set<Connection>
  /** The connections that wait for their clients, the longest first. */
  readonly waiting: Set<Connection>
}

type ConnectionsParts = {
  readonly max: ConnectionsMax
  readonly patience: Patience
  readonly unreadMax: UnreadMax | undefined
  readonly trustedProxies: readonly IpRange[]
  readonly log: Log
}

/**
 * The connections of all clients. A connection over a bound takes the place of another one, of its own peer or, if there
 * are too many in all, of the peer with the most. The one that has waited longest for its client gives way. A peer none
 * of whose connections waits gives way too, but only to a peer that has fewer: so no peers together shut out another
 * (docs/decisions/0060-connections.md).
 */
export class Connections {
  readonly #parts: ConnectionsParts
  readonly #peers = new Map<string, Peer>()
  readonly #turns = new ReadingTurns()
  readonly #beginnings = createBeginnings()
  readonly #unread: UnreadAnswers
  #count = 0
  #warnedMs = Number.NEGATIVE_INFINITY

  constructor(parts: ConnectionsParts) {
    this.#parts = parts
    this.#unread = new UnreadAnswers({ max: parts.unreadMax ?? unreadMaxDefault, log: parts.log })
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

  /** Calls `read` in the turn of the peer, unless the connection has ended by then. */
  begin(connection: Connection, read: () => void): void {
    const { remoteAddress } = connection
    if (isTrusted(remoteAddress, this.#parts.trustedProxies)) read()
    else connection.once('close', this.#beginnings.begin(networkOf(remoteAddress), read))
  }

  /** Ends those too that were not begun, of which the HTTP server does not know. */
  endAll(): void {
    for (const { connections } of this.#peers.values()) for (const connection of connections) connection.destroy()
  }

  #makePlace(remoteAddress: string): boolean {
    const { max, trustedProxies } = this.#parts
    const own = this.#peers.get(networkOf(remoteAddress))
    const isShared = isTrusted(remoteAddress, trustedProxies)
    const ofOwn = own?.connections.size ?? 0
    if (own !== undefined && ofOwn >= max.ofPeer && !isShared) return this.#end(own, own.waiting)
    if (this.#count < max.all) return true
    const worst = this.#worstPeer(isShared ? 0 : ofOwn)
    return this.#end(worst, worst === undefined ? [] : worstFirst(worst))
  }

  /** Ends the first of these. Returns whether there is one. */
  #end(peer: Peer | undefined, [connection]: Iterable<Connection>): boolean {
    if (performance.now() - this.#warnedMs > warningMs) {
      this.#warnedMs = performance.now()
      const about = { connections: this.#count, peer: peer?.address, ofPeer: peer?.connections.size }
      this.#parts.log.warn(about, 'too many connections: a further one takes the place of another, or is ended')
    }
    connection?.destroy()
    return connection !== undefined
  }

  /** The peer with the most connections among those that have to give way to one with `ofOwn` connections. */
  #worstPeer(ofOwn: number): Peer | undefined {
    let worst: Peer | undefined
    for (const peer of this.#peers.values()) {
      const count = peer.connections.size
      const hasMore = count > ofOwn + 1 && !peer.isShared
      if (count > (worst?.connections.size ?? 0) && (hasMore || peer.waiting.size > 0)) worst = peer
    }
    return worst
  }

  #add(socket: Socket, remoteAddress: string): Connection {
    const { patience, trustedProxies } = this.#parts
    const network = networkOf(remoteAddress)
    const isShared = isTrusted(remoteAddress, trustedProxies)
    const peer = this.#peers.get(network) ?? newPeer(remoteAddress, { isShared })
    this.#peers.set(network, peer)
    // The connections of a trusted proxy are of many clients, so each has turns of its own.
    const connection = new Connection(socket, remoteAddress, {
      patience,
      owner: {
        onArrived: (arrived, more) => this.#turns.ask(isShared ? arrived : peer, arrived, more),
        onChange(changed) {
          if (changed.waitsForClient && !changed.destroyed) peer.waiting.add(changed)
          else peer.waiting.delete(changed)
        },
        onTaken: (taken) => this.#unread.onTaken(peer, taken),
      },
    })
    this.#count += 1
    peer.connections.add(connection)
    peer.waiting.add(connection)
    connection.once('close', () => {
      this.#count -= 1
      this.#unread.onEnd(peer, connection)
      peer.waiting.delete(connection)
      peer.connections.delete(connection)
      if (peer.connections.size === 0) this.#peers.delete(network)
    })
    return connection
  }
}

function newPeer(address: string, { isShared }: { readonly isShared: boolean }): Peer {
  return { address, isShared, connections: new Set(), waiting: new Set() }
}

/** Connections that wait for their clients, then those that sent on before they were answered, then the oldest. */
function* worstFirst({ waiting, connections }: Peer): Generator<Connection> {
  yield* waiting
  for (const connection of connections) if (connection.isAhead) yield connection
  yield* connections
}
