import type { Socket } from 'node:net'
import { encodeFrame, FrameDecoder, FrameError } from './frames.ts'

/**
 * How a service asks for the lanes of a vault that listens on a socket. Each lane is a connection of its own.
 *
 *     request  { lane, service }               `service` is one random text for both lanes
 *     reply    { accepted: true } or { refused: text }
 *
 * The service sends nothing more before the reply, so what comes after it is the channel's from its first byte.
 *
 * A vault that hangs does not notice that its lanes were closed. So its service can have it ended, by another connection.
 *
 *     request  { ends: service }               closed once that vault is gone, without a reply
 */
export type LaneRequest = { readonly lane: 'small' | 'large'; readonly service: string }
export type EndRequest = { readonly ends: string }

/** The vault does not take the connection, for example because it serves another service. */
export class LaneRefused extends Error {
  override readonly name = 'LaneRefused'
}

const messageBytesMax = 1_024
const messageMsMax = 5_000
const endMsMax = 1_000

/** Asks for a lane. Leaves the socket paused. Throws `LaneRefused` with the reason of the vault. */
export async function requestLane(socket: Socket, request: LaneRequest): Promise<void> {
  socket.write(encodeFrame(request))
  const { accepted, refused } = await readMessage(socket)
  if (accepted !== true) throw new LaneRefused(typeof refused === 'string' ? refused : 'the vault gave no reason')
}

/** Asks to end the vault of a service. Resolves once it is gone, or when nobody does it in time. */
export function requestEnd(socket: Socket, { ends }: EndRequest): Promise<void> {
  return new Promise((resolve) => {
    socket.setTimeout(endMsMax, () => socket.destroy())
    socket.on('error', () => {}).once('close', () => resolve())
    socket.resume().write(encodeFrame({ ends }))
  })
}

/** Reads what a connection asks for. Rejects if that is neither a lane nor an end, or nothing. */
export async function readLaneRequest(socket: Socket): Promise<LaneRequest | EndRequest> {
  const { lane, service, ends } = await readMessage(socket)
  if (typeof ends === 'string') return { ends }
  if ((lane !== 'small' && lane !== 'large') || typeof service !== 'string') {
    throw new FrameError('a message that asks for no lane')
  }
  return { lane, service }
}

export function acceptLane(socket: Socket, written: () => void): void {
  socket.write(encodeFrame({ accepted: true }), written)
}

/** Closes the connection once the reason is written, even if the other side keeps it open or has sent more. */
export function refuseLane(socket: Socket, reason: string): void {
  socket.end(encodeFrame({ refused: reason }), () => socket.destroy())
}

/** Reads one frame and leaves the socket paused. Rejects if the frame is not whole in time. */
function readMessage(socket: Socket): Promise<Readonly<Record<string, unknown>>> {
  const decoder = new FrameDecoder()
  let receivedBytes = 0
  const { promise, resolve, reject } = Promise.withResolvers<Readonly<Record<string, unknown>>>()

  function receive(chunk: Buffer): void {
    try {
      receivedBytes += chunk.length
      if (receivedBytes > messageBytesMax) throw new FrameError(`a message of more than ${messageBytesMax} bytes`)
      const [message, ...more] = decoder.push(chunk)
      if (message === undefined) return
      if (typeof message !== 'object' || message === null || more.length > 0) throw new FrameError('no single message')
      resolve({ ...message })
    } catch (error) {
      reject(error)
    }
  }
  const ended = () => reject(new Error('the connection ended'))
  const timer = setTimeout(() => reject(new Error(`no message within ${messageMsMax} ms`)), messageMsMax)
  socket.on('data', receive).once('error', reject).once('close', ended)
  return promise.finally(() => {
    clearTimeout(timer)
    socket.off('data', receive).off('error', reject).off('close', ended)
    socket.pause()
  })
}
