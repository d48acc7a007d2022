import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Failure } from '../../protocol/wire/failures.ts'

export const bodyBytesMax = 1_048_576

/**
 * The memory for the bodies of all requests that are not answered yet. The last eighth is for what each takes first: so
 * much have all connections that there may be (`connectionsMaxDefault`). The eighth before it is for peers that have no
 * more than a 128th of all.
 */
export const bodiesBytesMax = 256 * 1024 * 1024

/** A body takes memory for what has arrived, in multiples of this. Nearly every body fits into the first. */
const blockBytes = 4_096

/** A body that fills no further block for so long stalls. */
const stalledMs = 2_000

/** A request as far as its body is concerned. */
type BodyOf = Readable & Pick<IncomingMessage, 'headers'>

export type Bodies = {
  /**
   * Reads a body as bytes, whatever its content type says or does not say: they are what the caller signed. Its memory
   * counts until `use` ends. Throws BODY_TOO_LARGE, or UNAVAILABLE if the bodies in flight leave no room. While a
   * body arrives, it gives way to others if it stalls, or if its peer has others and more than theirs. The rest of a
   * refused body is dropped as it comes, since closing at once would reset the connection under the answer.
   */
  read<T>(request: BodyOf, peer: string, use: (body: Uint8Array) => Promise<T>): Promise<T>
}

/** The memory of one body. `giveWay` is called when it has none any more. */
type Memory = { readonly peer: string; bytes: number; tookAtMs: number; readonly giveWay: (reason: Failure) => void }

export function createBodies(bytesMax = bodiesBytesMax, nowMs: () => number = () => performance.now()): Bodies {
  const ofQuietMax = (bytesMax * 7) / 8
  const ofOthersMax = (bytesMax * 3) / 4
  const quietBytesMax = bytesMax / 128
  let takenBytes = 0
  const takenBytesOf = new Map<string, number>()
  /** The bodies that arrive. The first has taken nothing for longest. */
  const arriving = new Set<Memory>()

  const bytesOf = (peer: string) => takenBytesOf.get(peer) ?? 0

  function count(memory: Memory, bytes: number): void {
    takenBytes += bytes
    memory.bytes += bytes
    const ofPeer = bytesOf(memory.peer) + bytes
    if (ofPeer === 0) takenBytesOf.delete(memory.peer)
    else takenBytesOf.set(memory.peer, ofPeer)
  }

  function give(memory: Memory): void {
    arriving.delete(memory)
    count(memory, -memory.bytes)
  }

  function take(memory: Memory, bytes: number): void {
    arriving.delete(memory) // it gives way to others only
    const isQuiet = bytesOf(memory.peer) + bytes <= quietBytesMax
    const max = memory.bytes === 0 ? bytesMax : isQuiet ? ofQuietMax : ofOthersMax
    while (takenBytes + bytes > max) makeRoom(memory, bytes)
    count(memory, bytes)
    memory.tookAtMs = nowMs()
    arriving.add(memory)
  }

  function makeRoom({ peer }: Memory, bytes: number): void {
    const stalled = longestStalled(peer, bytesOf(peer) + bytes)
    const other = stalled ?? ofPeerWithMore(bytesOf(peer) + bytes)
    if (other === undefined) throw new Failure('UNAVAILABLE', 'too many requests are being sent')
    give(other)
    const why = other === stalled ? 'the body arrived too slowly' : 'too many requests are being sent from this address'
    other.giveWay(new Failure('UNAVAILABLE', `${why} while others needed its memory`))
  }

  /**
   * The body that has stalled longest, if its peer is the same, or has as much as `peer` will have, or if `peer` will
   * have little: so no peer with much takes the place of slow clients. A body in its first block keeps its place.
   */
  function longestStalled(peer: string, bytes: number): Memory | undefined {
    const sinceMs = nowMs() - stalledMs
    for (const memory of arriving) {
      if (memory.tookAtMs > sinceMs) return undefined
      if (memory.bytes <= blockBytes) continue
      if (memory.peer === peer || bytes <= quietBytesMax || bytesOf(memory.peer) >= bytes) return memory
    }
    return undefined
  }

  /** One of the peer that has the most without it, if that is no less than `bytes`: so a peer keeps its only one. */
  function ofPeerWithMore(bytes: number): Memory | undefined {
    let found: Memory | undefined
    let most = bytes
    for (const memory of arriving) {
      const left = bytesOf(memory.peer) - memory.bytes
      if (memory.bytes <= blockBytes || left < most || (left === most && found !== undefined)) continue
      found = memory
      most = left
    }
    return found
  }

  return {
    async read(request, peer, use) {
      if (Number(request.headers['content-length']) > bodyBytesMax) throw new Failure('BODY_TOO_LARGE')
      const { promise: refused, reject: giveWay } = Promise.withResolvers<never>()
      const memory: Memory = { peer, bytes: 0, tookAtMs: nowMs(), giveWay }
      try {
        const body = await readBody(request, { take: (bytes) => take(memory, bytes), refused })
        arriving.delete(memory)
        return await use(body)
      } finally {
        give(memory)
      }
    },
  }
}

type Reading = {
  /** Called before more memory is taken. Throws if there is none. */
  readonly take: (bytes: number) => void
  /** Rejects when the memory is taken away. */
  readonly refused: Promise<never>
}

async function readBody(request: BodyOf, { take, refused }: Reading): Promise<Uint8Array> {
  take(blockBytes)
  return new Promise((resolve, reject) => {
    // Blocks, not chunks: a chunk kept as an object takes two hundred bytes however small it is.
    let last = new Uint8Array(blockBytes)
    let blocks = [last]
    let lastBytes = 0
    let bytes = 0

    function add(chunk: Uint8Array): void {
      if (bytes + chunk.length > bodyBytesMax) throw new Failure('BODY_TOO_LARGE')
      const fitting = chunk.subarray(0, last.length - lastBytes)
      last.set(fitting, lastBytes)
      lastBytes += fitting.length
      bytes += chunk.length
      if (fitting.length < chunk.length) addBlock(chunk.subarray(fitting.length))
    }

    function addBlock(rest: Uint8Array): void {
      const size = Math.ceil(rest.length / blockBytes) * blockBytes
      take(size)
      last = new Uint8Array(size)
      last.set(rest)
      lastBytes = rest.length
      blocks.push(last)
    }

    function onData(chunk: Uint8Array): void {
      try {
        add(chunk)
      } catch (error) {
        refuse(error)
      }
    }

    function refuse(error: unknown): void {
      forget()
      request.resume()
      reject(error)
    }

    /** The request may go on for long, and knows these functions. */
    function forget(): void {
      request.off('data', onData)
      last = new Uint8Array()
      blocks = []
    }

    refused.catch(refuse)
    request.on('data', onData)
    request.once('end', () => {
      const body = joined(blocks, bytes)
      forget()
      resolve(body)
    })
    // The caller went away.
    request.once('error', (cause) =>
      refuse(new Failure('BODY_INVALID', { reason: 'the request could not be read', cause })),
    )
  })
}

function joined(blocks: readonly Uint8Array[], bytes: number): Uint8Array {
  const [first] = blocks
  return first !== undefined && blocks.length === 1 ? first.subarray(0, bytes) : Buffer.concat(blocks, bytes)
}
