import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { nextPiece, seamAfter } from './piece.ts'

/** The bytes that are taken from a socket at a time. */
const takenBytesMax = 16_384
/** The bytes that are sent at a time: the kernel is to take as much within `unreadMsMax`. */
const sentBytesMax = 65_536

/** How long a client may read what it was told last, before its connection is ended on both sides. */
const lingerMs = 2_000

/** Lines in a turn, but in a body whose length its request says: the chunks of a body may be a byte long each. */
const linesMax = 256

const nothing = Buffer.alloc(0)

export type Patience = {
  /** How long a connection waits for the headers of a request. */
  readonly idleMsMax: number
  /** How long the kernel may take a part of an answer, for which the client has to read. */
  readonly unreadMsMax: number
}

type Size = { readonly bytes: number; readonly lines: number }

type Done = (error?: Error | null) => void

/** The owner, which a connection tells of changes. */
type Owner = {
  /** Something has arrived: `readOn` is to be called in its turn. */
  onArrived(connection: Connection, more: { readonly isNew: boolean }): void
  /** It may wait for its client now, or no longer. */
  onChange(connection: Connection): void
  /** An answer begins to be sent, or the kernel has taken a part of it. */
  onTaken(connection: Connection): void
}

/**
 * A client's connection, as Node's HTTP server sees it. Node parses a chunk of 64 KiB to its end, and so begins thousands
 * of requests before the first answer is out. This stream hands on what has arrived in pieces, each of which ends where
 * the headers of a request end, or its body. While a whole request is being answered it hands on nothing. So one request
 * is in flight at most. Bytes behind a request do not keep back its answer, if the request ends the connection or asks
 * for another protocol, or if they are no HTTP.
 */
export class Connection extends Duplex {
  /** Kept, because a connection that was reset has no address any more. */
  readonly remoteAddress: string
  readonly #socket: Socket
  readonly #owner: Owner
  readonly #answers = new Set<ServerResponse>()
  /** Taken from the socket, not handed on yet. */
  #taken = nothing
  /** The end of what was handed on, if it may begin a blank line. */
  #before: Buffer = nothing
  /** The bytes left of a body whose length its request says. */
  #bodyBytesLeft = 0
  /** Each timer is made once and begun anew, which costs less than a timer for each request. */
  readonly #idle: NodeJS.Timeout
  readonly #unread: NodeJS.Timeout
  #linger: NodeJS.Timeout | undefined
  #isSending = false
  /** Whether the last piece was the end of what had arrived. */
  #isReadToEnd = true
  #hasEnded = false
  /** Whether the end was handed on. */
  #isOver = false

  constructor(socket: Socket, remoteAddress: string, { patience, owner }: { patience: Patience; owner: Owner }) {
    super()
    this.remoteAddress = remoteAddress
    this.#socket = socket
    this.#owner = owner
    // Bytes that arrive do not put it off, unless they are a request.
    this.#idle = setTimeout(() => {
      if (this.#answers.size === 0) this.destroy()
    }, patience.idleMsMax).unref()
    this.#unread = setTimeout(() => {
      if (this.#isSending) this.reset()
    }, patience.unreadMsMax).unref()
    socket.on('readable', () => this.#onReadable())
    socket.on('end', () => this.#onEnd())
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
    this.on('resume', () => this.#askToRead())
  }

  /** Whether it is the client's turn: to send a request or the rest of one, or to read its answer. */
  get waitsForClient(): boolean {
    return this.#isSending || !(this.isAnswering || this.#hasArrived)
  }

  /** The bytes of answers, until the kernel has taken all of them. */
  get unreadBytes(): number {
    return this.#isSending ? this.writableLength : 0
  }

  /** Ends it at once. The kernel forgets what it has taken too. */
  reset(): void {
    this.#socket.resetAndDestroy()
  }

  /** Whether a whole request is being answered. */
  get isAnswering(): boolean {
    for (const { req } of this.#answers) if (req.complete) return true
    return false
  }

  /** Whether the client has sent on before it was answered. */
  get isAhead(): boolean {
    return this.#hasArrived
  }

  /** Called when the headers of a request have arrived. */
  begin(response: ServerResponse): void {
    this.#answers.add(response)
    this.#bodyBytesLeft = Number(response.req.headers['content-length'] ?? 0)
    this.#owner.onChange(this)
    // Emitted once the kernel has taken the whole answer, or the connection has ended.
    response.once('close', () => {
      this.#answers.delete(response)
      this.#idle.refresh()
      this.#owner.onChange(this)
      this.#askToRead()
    })
  }

  /** Hands on the headers of a request, and what has arrived of its body, or the end of both. */
  readOn(): void {
    let bytesLeft = takenBytesMax
    let linesLeft = linesMax
    while (bytesLeft > 0 && linesLeft > 0 && this.#mayRead && this.#hasArrived) {
      const { bytes, lines } = this.#handOnPiece(linesLeft)
      bytesLeft -= bytes
      linesLeft -= lines
    }
    if (this.#mayEnd) {
      this.#isOver = true
      this.push(null)
    }
    this.#owner.onChange(this)
    this.#askToRead()
  }

  /** Node calls this after an answer with `Connection: close`. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  override _read(): void {
    // `readOn` hands on what arrives.
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: Done): void {
    this.#send(groupsOf([chunk]), done)
  }

  override _writev(chunks: readonly { readonly chunk: Uint8Array }[], done: Done): void {
    this.#send(groupsOf(chunks.map(({ chunk }) => chunk)), done)
  }

  override _final(done: Done): void {
    // A client that keeps its side open would keep the request that was refused, and its body. To end both sides at once
    // could take the refusal from it.
    this.#linger = setTimeout(() => this.destroy(), lingerMs).unref()
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: Done): void {
    clearTimeout(this.#idle)
    clearTimeout(this.#unread)
    clearTimeout(this.#linger)
    this.#socket.destroy()
    done(error)
  }

  get #hasArrived(): boolean {
    return this.#taken.length > 0 || this.#socket.readableLength > 0
  }

  /** Not while Node has paused it, nor while Node has not taken the last piece. */
  get #mayRead(): boolean {
    return !this.destroyed && this.readableFlowing === true && this.readableLength === 0 && !this.isAnswering
  }

  get #mayEnd(): boolean {
    return this.#hasEnded && !this.#isOver && !this.destroyed && !this.#hasArrived && !this.#hasAnswerToGive
  }

  #handOnPiece(linesLeft: number): Size {
    if (this.#taken.length === 0) {
      this.#taken = this.#socket.read(Math.min(this.#socket.readableLength, takenBytesMax)) ?? nothing
      this.#lookForEnd()
    }
    // Bytes behind the last answer are for nobody. They are read only so that the client reads too.
    const size = this.writableEnded ? { bytes: this.#taken.length, lines: 1 } : this.#sizeOfPiece(linesLeft)
    const piece = this.#taken.subarray(0, size.bytes)
    // An empty part would keep all that was taken with it.
    this.#taken = piece.length === this.#taken.length ? nothing : this.#taken.subarray(piece.length)
    this.#isReadToEnd = !this.#hasArrived
    if (!this.writableEnded) this.push(piece)
    return size
  }

  #sizeOfPiece(linesLeft: number): Size {
    const taken = this.#taken
    if (this.#bodyBytesLeft > 0) {
      const bytes = Math.min(this.#bodyBytesLeft, taken.length)
      this.#bodyBytesLeft -= bytes
      return { bytes, lines: 1 }
    }
    const { bytes, lines, isEnd } = nextPiece(this.#before, taken, linesLeft)
    this.#before = isEnd ? nothing : seamAfter(this.#before, taken.subarray(0, bytes))
    return { bytes, lines }
  }

  #askToRead(): void {
    // Thousands of clients can end at once, and Node answers each half of a request: an end takes its turn as well.
    if (this.#mayEnd || (this.#hasArrived && this.#mayRead)) this.#owner.onArrived(this, { isNew: this.#isReadToEnd })
  }

  #onReadable(): void {
    this.#lookForEnd()
    this.#owner.onChange(this)
    this.#askToRead()
  }

  /** A socket says that it has ended when somebody reads on. */
  #lookForEnd(): void {
    if (this.#socket.readableLength === 0) this.#socket.read(0)
  }

  /** A client may send no more and still read: what it has asked for is answered first. */
  #onEnd(): void {
    this.#hasEnded = true
    this.#askToRead()
  }

  /** Not one that stays open. Its client has gone away: else nobody would notice before the next line. */
  get #hasAnswerToGive(): boolean {
    for (const { req, headersSent, writableEnded } of this.#answers) {
      if (req.complete && (writableEnded || !headersSent)) return true
    }
    return false
  }

  /** Calls `done` once the kernel has taken everything. */
  #send(groups: Iterator<readonly Uint8Array[]>, done: Done): void {
    const { value: group, done: isDone } = groups.next()
    this.#isSending = !isDone
    this.#owner.onTaken(this)
    this.#owner.onChange(this)
    if (isDone) {
      done()
      return
    }
    this.#unread.refresh()
    this.#socket.cork()
    for (const [index, chunk] of group.entries()) {
      const isLast = index === group.length - 1
      this.#socket.write(chunk, isLast ? (error) => (error ? done(error) : this.#send(groups, done)) : undefined)
    }
    this.#socket.uncork()
  }
}

/** Chunks that are sent together: small ones as they are, and parts of a large one. */
function* groupsOf(chunks: readonly Uint8Array[]): Generator<readonly Uint8Array[]> {
  let group: Uint8Array[] = []
  let bytes = 0
  for (const part of chunks.flatMap(partsOf)) {
    if (group.length > 0 && bytes + part.length > sentBytesMax) {
      yield group
      group = []
      bytes = 0
    }
    group.push(part)
    bytes += part.length
  }
  if (group.length > 0) yield group
}

function partsOf(chunk: Uint8Array): readonly Uint8Array[] {
  if (chunk.length <= sentBytesMax) return [chunk]
  const parts = Array.from({ length: Math.ceil(chunk.length / sentBytesMax) }, (_, index) => index * sentBytesMax)
  return parts.map((start) => chunk.subarray(start, start + sentBytesMax))
}
