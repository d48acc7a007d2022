import type { Duplex } from 'node:stream'
import { encodeFrame, FrameDecoder, FrameError } from './frames.ts'
import type { Message, PipeEnd } from './pipes.ts'

/**
 * Requests and replies over one byte stream: many in flight, replies in any order.
 *
 *     request  { id, verb, argument }          ids count up from 1
 *     reply    { id, result } or { id, error: { name, message } }
 *
 * Messages with a member `pipe` go between them, to the ends of the pipes (`pipes.ts`).
 */

/** No answer: the vault is starting, gone, or too slow. It may have decided the request all the same. */
export class VaultUnavailable extends Error {
  override readonly name = 'VaultUnavailable'
}

/** The vault threw. Only the name and message of its error leave it; the rest is in its own log. */
export class VaultError extends Error {
  override readonly name = 'VaultError'
  /** `name` of the error inside the vault, such as `UnsealError`. */
  readonly thrownName: string

  constructor(thrown: { readonly name: string; readonly message: string }) {
    super(thrown.message)
    this.thrownName = thrown.name
  }
}

export type CallLimits = {
  readonly deadlineMs: number
  /** Whether the call is sent even when `callsInFlightMax` others are in flight. */
  readonly isUrgent?: boolean
  /** The bytes in the argument, where the caller has counted them. */
  readonly bytes?: number
  /** Whether the reply may have more than 64 kB. */
  readonly hasLargeReply?: boolean
}

export type Channel = {
  /**
   * The reply to one request. Rejects with `VaultError` when the handler threw, with `VaultUnavailable` after
   * `deadlineMs` and when the stream ends first, with `FrameError` when `argument` does not fit into a frame.
   */
  call(verb: string, argument: unknown, limits: CallLimits): Promise<unknown>
  /** Ends the stream; pending calls reject with `VaultUnavailable`. */
  close(): void
  /** How often something has come from the other side since the start. */
  heard(): number
  /** Resolves when the stream is gone, with the error that broke it, or `undefined` when it just ended. */
  readonly closed: Promise<Error | undefined>
}

/** By verb. The argument comes from the peer and is `unknown` until the handler has checked it. */
export type Handlers = ReadonlyMap<string, (argument: unknown) => Promise<unknown>>

/** Requests in flight at most. One more is refused as `VaultUnavailable`, unless it is urgent. */
export const callsInFlightMax = 8_192

type Pending = {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

/** Opens the asking side. The stream then belongs to the channel. Without `pipes` the peer can open none. */
export function openChannel(stream: Duplex, { pipes }: { readonly pipes?: PipeEnd } = {}): Channel {
  const pending = new Map<number, Pending>()
  const send = coalescedWriter(stream)
  let lastId = 0
  let heard = 0
  let open = true

  stream.on('data', () => {
    heard += 1
  })
  pipes?.attach((message) => send(encodeFrame(message)))

  function settle(message: Message): void {
    const reply = readReply(message)
    const waiting = pending.get(reply.id)
    if (waiting === undefined) {
      if (reply.id > lastId) throw new FrameError('a reply to a request that was never sent')
      return // its deadline has passed
    }
    pending.delete(reply.id)
    clearTimeout(waiting.timer)
    if (reply.error === undefined) waiting.resolve(reply.result)
    else waiting.reject(errorOf(reply.error))
  }

  const closed = receive(stream, pipes, settle).then((cause) => {
    open = false
    abandon(pending, new VaultUnavailable('the vault is gone', { cause }))
    return cause
  })

  return {
    closed,
    heard: () => heard,
    call: (verb, argument, { deadlineMs, isUrgent = false }) =>
      new Promise((resolve, reject) => {
        if (!open) throw new VaultUnavailable('the vault is gone')
        if (pending.size >= callsInFlightMax && !isUrgent)
          throw new VaultUnavailable('the vault has too many requests to answer')
        const id = lastId + 1
        send(encodeFrame({ id, verb, argument }), { atOnce: pending.size === 0 })
        lastId = id
        const timer = setTimeout(() => {
          pending.delete(id)
          reject(new VaultUnavailable(`the vault did not answer ${verb} within ${deadlineMs} ms`))
        }, deadlineMs)
        pending.set(id, { resolve, reject, timer })
      }),
    close() {
      open = false
      abandon(pending, new VaultUnavailable('the vault was closed'))
      stream.end()
    },
  }
}

/**
 * The answering side: calls the handler of each request and sends its result. Resolves when the stream is gone, with
 * the error that broke it, or `undefined` when the peer just ended it. `onHandlerError` gets the errors of handlers.
 */
export function serve(
  stream: Duplex,
  handlers: Handlers,
  {
    onHandlerError,
    pipes,
  }: {
    readonly onHandlerError: (verb: string, error: unknown, argument: unknown) => void
    readonly pipes?: PipeEnd
  },
): Promise<Error | undefined> {
  const send = coalescedWriter(stream)
  pipes?.attach((message) => send(encodeFrame(message)))

  /** Requests that have arrived and are not answered yet. */
  let answering = 0
  /** Requests that have arrived with this chunk. */
  let arrived: Request[] = []

  function answerArrived(): void {
    for (const message of arrived) void answer(message)
    arrived = []
  }

  async function answer(message: Request): Promise<void> {
    const reply = await replyTo(message)
    answering -= 1
    send(reply, { atOnce: answering === 0 })
  }

  async function replyTo({ id, verb, argument }: Request): Promise<Uint8Array> {
    try {
      const handler = handlers.get(verb)
      if (handler === undefined) throw new Error(`there is no verb ${JSON.stringify(verb)}`)
      return encodeFrame({ id, result: await handler(argument) })
    } catch (error) {
      onHandlerError(verb, error, argument)
      return encodeFrame({ id, error: described(error) })
    }
  }

  return receive(stream, pipes, (message) => {
    assertRequest(message)
    answering += 1
    // The microtask runs once the whole chunk has been read, so that quick replies share a write.
    if (arrived.push(message) === 1) queueMicrotask(answerArrived)
  })
}

const framesPerWriteMax = 8

/**
 * Makes a function that writes frames. Frames that come together are written together, because a system call costs more
 * than a frame. They go out after the events of this turn of the loop, when there are `framesPerWriteMax`, or `atOnce`.
 */
function coalescedWriter(stream: Duplex): (frame: Uint8Array, when?: { readonly atOnce: boolean }) => void {
  let frames: Uint8Array[] = []

  function flush(): void {
    const [first] = frames
    if (stream.writable && first !== undefined) stream.write(frames.length === 1 ? first : Buffer.concat(frames))
    frames = []
  }

  return (frame, { atOnce } = { atOnce: false }) => {
    const waiting = frames.push(frame)
    // More frames in a write would keep the other side idle for longer than a system call takes.
    if (atOnce || waiting === framesPerWriteMax) flush()
    else if (waiting === 1) setImmediate(flush)
  }
}

/** Passes on every message until the stream is gone. A peer that breaks the rules loses the stream. */
function receive(
  stream: Duplex,
  pipes: PipeEnd | undefined,
  onMessage: (message: Message) => void,
): Promise<Error | undefined> {
  const decoder = new FrameDecoder()
  let broken: Error | undefined

  /** Runs `read`, which reads the peer's bytes. Its first error ends the stream. */
  function guarded(read: () => void): void {
    try {
      read()
    } catch (error) {
      broken ??= error instanceof Error ? error : new Error('the stream failed', { cause: error })
      stream.destroy()
    }
  }

  stream.on('data', (chunk: Uint8Array) => {
    guarded(() => {
      for (const received of decoder.push(chunk)) {
        const message = members(received)
        if (pipes !== undefined && Object.hasOwn(message, 'pipe')) pipes.receive(message)
        else onMessage(message)
      }
    })
  })
  stream.on('end', () => {
    guarded(() => decoder.end())
    stream.end()
  })
  stream.on('error', (error) => {
    broken ??= error
  })
  return new Promise((resolve) => {
    stream.on('close', () => {
      pipes?.detach()
      resolve(broken)
    })
  })
}

/** A vault that asks another process of its node says so if that one is gone. */
function errorOf(thrown: NonNullable<Reply['error']>): Error {
  return thrown.name === 'VaultUnavailable' ? new VaultUnavailable(thrown.message) : new VaultError(thrown)
}

function abandon(pending: Map<number, Pending>, error: Error): void {
  for (const { reject, timer } of pending.values()) {
    clearTimeout(timer)
    reject(error)
  }
  pending.clear()
}

type Request = { readonly id: number; readonly verb: string; readonly argument?: unknown }
type Reply = { readonly id: number; readonly result?: unknown; readonly error?: { name: string; message: string } }

function assertRequest(message: Message): asserts message is Request {
  const { id, verb } = message
  if (!Number.isSafeInteger(id) || typeof verb !== 'string') throw new FrameError('a message that is no request')
}

function readReply({ id, result, error }: Message): Reply {
  if (typeof id !== 'number') throw new FrameError('a message that is no reply')
  if (error === undefined) return { id, result }
  const { name, message: text } = members(error)
  return { id, error: { name: String(name), message: String(text) } }
}

function members(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new FrameError('a message that is no object')
  return value as Record<string, unknown>
}

function described(error: unknown): { readonly name: string; readonly message: string } {
  return error instanceof Error ? { name: error.name, message: error.message } : { name: 'Error', message: 'failed' }
}
