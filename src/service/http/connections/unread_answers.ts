import type { Log } from '../../process/log.ts'

/** Bytes of answers that were written and that clients have not taken. */
export type UnreadMax = { readonly all: number; readonly ofPeer: number }

/** As much as for the bodies of requests. */
export const unreadMaxDefault: UnreadMax = { all: 256 * 1024 * 1024, ofPeer: 128 * 1024 * 1024 }

/** A client that has taken nothing for so long gives way before those that read. */
const stallMs = 2_000

/** The log says at most so often that there are too many. */
const warningMs = 60_000

type Sending = {
  /** The unread bytes of the answer that it sends. 0 once the kernel has taken it. */
  readonly unreadBytes: number
  reset(): void
}

/** `isShared`: a trusted proxy, whose connections are of many clients. */
type Peer = { readonly address: string; readonly isShared: boolean }

type OfPeer = {
  bytes: number
  /** The one that has taken nothing for longest is the first. */
  readonly waiting: Map<Sending, { readonly bytes: number; readonly sinceMs: number }>
}

/**
 * The answers that wait for their clients, which the service keeps in memory. Over a bound, the connection that has
 * taken nothing for longest is reset. It is one of the peer with the most bytes that has a stalled one, else of the
 * peer with the most that has several. So a client that reads keeps its only answer
 * (docs/decisions/0101-unread-answers.md).
 */
export class UnreadAnswers {
  readonly #max: UnreadMax
  readonly #log: Log
  readonly #nowMs: () => number
  readonly #peers = new Map<Peer, OfPeer>()
  #bytes = 0
  #warnedMs = Number.NEGATIVE_INFINITY

  constructor(parts: { readonly max: UnreadMax; readonly log: Log; readonly nowMs?: () => number }) {
    this.#max = parts.max
    this.#log = parts.log
    this.#nowMs = parts.nowMs ?? (() => performance.now())
  }

  /** An answer begins to be sent, or the kernel has taken a part of it. */
  onTaken(peer: Peer, connection: Sending): void {
    const before = this.onEnd(peer, connection)
    const bytes = connection.unreadBytes
    if (bytes === 0) return
    const own = this.#peers.get(peer) ?? { bytes: 0, waiting: new Map() }
    this.#peers.set(peer, own)
    own.waiting.set(connection, { bytes, sinceMs: this.#nowMs() })
    own.bytes += bytes
    this.#bytes += bytes
    if (bytes > before) this.#makeRoom(peer, own)
  }

  /** Returns how many bytes of it were counted. */
  onEnd(peer: Peer, connection: Sending): number {
    const own = this.#peers.get(peer)
    const bytes = own?.waiting.get(connection)?.bytes ?? 0
    if (own === undefined) return bytes
    own.waiting.delete(connection)
    own.bytes -= bytes
    this.#bytes -= bytes
    if (own.waiting.size === 0) this.#peers.delete(peer)
    return bytes
  }

  #makeRoom(peer: Peer, own: OfPeer): void {
    if (!peer.isShared) this.#resetWhile(() => own.bytes > this.#max.ofPeer, [[peer, own]])
    if (this.#bytes <= this.#max.all) return
    const mostFirst = [...this.#peers].sort(([, one], [, other]) => other.bytes - one.bytes)
    this.#resetWhile(() => this.#bytes > this.#max.all, mostFirst)
  }

  #resetWhile(isOver: () => boolean, mostFirst: readonly (readonly [Peer, OfPeer])[]): void {
    while (isOver()) {
      const found = mostFirst.find(([, { waiting }]) => this.#hasStalled(waiting)) ?? mostFirst.find(isOfMany)
      const [connection] = found?.[1].waiting.keys() ?? []
      if (found === undefined || connection === undefined) return
      this.#warn(...found)
      this.onEnd(found[0], connection)
      connection.reset()
    }
  }

  #hasStalled(waiting: OfPeer['waiting']): boolean {
    const [first] = waiting.values()
    return first !== undefined && this.#nowMs() - first.sinceMs >= stallMs
  }

  #warn({ address }: Peer, { bytes }: OfPeer): void {
    if (this.#nowMs() - this.#warnedMs < warningMs) return
    this.#warnedMs = this.#nowMs()
    const about = { unreadBytes: this.#bytes, peer: address, ofPeer: bytes }
    this.#log.warn(about, 'too many answers that nobody reads: the connection that has waited longest is reset')
  }
}

/** The connections of a proxy are of many clients, who read as they can. */
function isOfMany([{ isShared }, { waiting }]: readonly [Peer, OfPeer]): boolean {
  return waiting.size > 1 && !isShared
}
