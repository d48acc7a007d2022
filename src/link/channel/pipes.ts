import { Duplex } from 'node:stream'
import type { Destination } from '../../protocol/wire/destination.ts'
import type { OpenPipe } from '../verbs.ts'
import { FrameError } from './frames.ts'

/**
 * Byte pipes over the channel: the vault names a destination, the service connects to it, and bytes go both ways.
 *
 *     open   { pipe, open: { host, port } }    vault to service; the numbers of pipes count up from 1
 *     data   { pipe, data }                    both ways
 *     close  { pipe, close }                   both ways, the last of its side: '' for an end, else why
 *
 * There is no flow control. `pipeBytesMax` and `pipesOpenMax` bound the bytes that can pile up in memory.
 */

/** Bytes that a pipe carries in each direction at most. One more breaks the pipe. */
export const pipeBytesMax = 512 * 1024
/** Pipes that are open at once at most. */
export const pipesOpenMax = 64

const reasonCharactersMax = 200

/** The pipe is gone before its work was done; the message says why. */
export class PipeError extends Error {
  override readonly name = 'PipeError'
}

export type Message = Readonly<Record<string, unknown>>

/** An end of pipes, as a channel uses it: it can send, takes messages (throws `FrameError`), and learns of the end. */
export type PipeEnd = {
  attach(send: (message: Message) => void): void
  receive(message: Message): void
  detach(): void
}

/** Makes the vault's end. `openPipe` returns a stream at once; a refusal is an error of that stream. */
export function createPipeOpener(): { readonly openPipe: OpenPipe; readonly end: PipeEnd } {
  const pipes = new Map<number, { readonly stream: Duplex; receivedBytes: number }>()
  let send: (message: Message) => void = () => {}
  let attached = false
  let lastPipe = 0

  function openPipe({ host, port }: Destination): Duplex {
    if (!attached) return refused('there is no service')
    if (pipes.size >= pipesOpenMax) return refused(`more than ${pipesOpenMax} connections at once`)
    const pipe = lastPipe + 1
    lastPipe = pipe
    const stream = pipeStream({
      data: (data) => send({ pipe, data }),
      closed() {
        if (pipes.delete(pipe)) send({ pipe, close: '' }) // else the service has closed it
      },
    })
    pipes.set(pipe, { stream, receivedBytes: 0 })
    send({ pipe, open: { host, port } })
    return stream
  }

  function receive({ pipe, data, close }: Message): void {
    const number = pipeNumber(pipe, lastPipe)
    const known = pipes.get(number)
    if (known === undefined) return // closed here, before the service knew
    if (data instanceof Uint8Array) {
      known.receivedBytes += data.length
      if (known.receivedBytes <= pipeBytesMax) known.stream.push(data)
      else known.stream.destroy(tooMuch())
      return
    }
    if (typeof close !== 'string') throw new FrameError('a message about a pipe that is neither data nor its close')
    pipes.delete(number)
    if (close === '') known.stream.push(null)
    else known.stream.destroy(new PipeError(close.slice(0, reasonCharactersMax)))
  }

  const end: PipeEnd = {
    attach(given) {
      send = given
      attached = true
    },
    receive,
    detach() {
      attached = false
      const broken = [...pipes.values()]
      pipes.clear()
      for (const { stream } of broken) stream.destroy(new PipeError('the service is gone'))
    },
  }
  return { openPipe, end }
}

/** Makes the service's end. `dial` connects, or refuses by an error of the stream that it returns. */
export function createPipeDialer(dial: OpenPipe): PipeEnd {
  const connections = new Map<number, Duplex>()
  let send: (message: Message) => void = () => {}
  let lastPipe = 0

  function open(pipe: number, destination: Destination): void {
    if (connections.size >= pipesOpenMax) {
      send({ pipe, close: `more than ${pipesOpenMax} connections at once` })
      return
    }
    const connection = dial(destination)
    let reason = ''
    let receivedBytes = 0
    connections.set(pipe, connection)
    connection.on('data', (data: Uint8Array) => {
      receivedBytes += data.length
      if (receivedBytes <= pipeBytesMax) send({ pipe, data })
      else connection.destroy(tooMuch())
    })
    connection.on('error', (error) => {
      // The message of a system error has the address, which need not be known outside, so only its code goes out.
      reason = 'code' in error ? String(error.code) : error.message || 'the connection failed'
    })
    connection.on('close', () => {
      if (connections.delete(pipe)) send({ pipe, close: reason }) // else the vault has closed it
    })
  }

  function receive({ pipe, open: destination, data, close }: Message): void {
    if (destination !== undefined) {
      if (pipe !== lastPipe + 1 || !isDestination(destination)) throw new FrameError('a pipe that cannot be opened')
      lastPipe = pipe
      open(pipe, destination)
      return
    }
    const number = pipeNumber(pipe, lastPipe)
    const connection = connections.get(number)
    if (data instanceof Uint8Array) {
      if (connection?.writable === true) connection.write(data)
    } else if (typeof close === 'string') {
      connections.delete(number)
      connection?.destroy()
    } else {
      throw new FrameError('a message about a pipe that is neither data nor its close')
    }
  }

  return {
    attach(given) {
      send = given
    },
    receive,
    detach() {
      send = () => {}
      for (const connection of connections.values()) connection.destroy()
    },
  }
}

/** Returns a stream that has failed already. */
function refused(reason: string): Duplex {
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  stream.destroy(new PipeError(reason))
  return stream
}

function pipeStream(peer: { data(bytes: Uint8Array): void; closed(): void }): Duplex {
  let sentBytes = 0
  const stream = new Duplex({
    allowHalfOpen: false,
    read() {}, // bytes are pushed as they come
    write(chunk: Uint8Array, _encoding, done) {
      sentBytes += chunk.length
      if (sentBytes > pipeBytesMax) return done(tooMuch())
      peer.data(chunk)
      done()
    },
    final(done) {
      peer.closed()
      stream.push(null)
      done()
    },
    destroy(error, done) {
      peer.closed()
      done(error)
    },
  })
  return stream
}

function tooMuch(): PipeError {
  return new PipeError(`more than ${pipeBytesMax} bytes on one connection`)
}

function pipeNumber(pipe: unknown, lastPipe: number): number {
  if (typeof pipe === 'number' && Number.isInteger(pipe) && pipe >= 1 && pipe <= lastPipe) return pipe
  throw new FrameError('a message about a pipe that was never opened')
}

function isDestination(value: unknown): value is Destination {
  if (typeof value !== 'object' || value === null) return false
  const { host, port } = value as Partial<Destination>
  return typeof host === 'string' && typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536
}
