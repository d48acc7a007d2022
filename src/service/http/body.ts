import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Failure } from '../../protocol/wire/failures.ts'

export const bodyBytesMax = 1_048_576

/**
 * The memory for the bodies of all requests that are not answered yet. The last quarter is for small bodies, and for
 * those of peers that have no more than a 128th of all.
 */
export const bodiesBytesMax = 256 * 1024 * 1024

/** Nearly every body fits into these. */
const firstBytes = 4_096

/** A request as far as its body is concerned. */
type BodyOf = Readable & Pick<IncomingMessage, 'headers'>

export type Bodies = {
  /**
   * Reads a body as bytes, whatever its content type says or does not say: they are what the caller signed. Its memory
   * counts until `use` ends. Throws BODY_TOO_LARGE, or UNAVAILABLE if the bodies in flight leave no room. What is left
   * of a refused body is dropped as it comes, since closing at once would reset the connection under the answer.
   */
  read<T>(request: BodyOf, peer: string, use: (body: Uint8Array) => Promise<T>): Promise<T>
}

export function createBodies(bytesMax = bodiesBytesMax): Bodies {
  const largeBytesMax = (bytesMax * 3) / 4
  const quietBytesMax = bytesMax / 128
  let takenBytes = 0
  const takenOf = new Map<string, number>()

  function count(peer: string, bytes: number): void {
    takenBytes += bytes
    const ofPeer = (takenOf.get(peer) ?? 0) + bytes
    if (ofPeer === 0) takenOf.delete(peer)
    else takenOf.set(peer, ofPeer)
  }

  return {
    async read(request, peer, use) {
      let ownBytes = 0
      function take(bytes: number): void {
        const isSmall = ownBytes + bytes <= firstBytes || (takenOf.get(peer) ?? 0) + bytes <= quietBytesMax
        if (takenBytes + bytes > (isSmall ? bytesMax : largeBytesMax)) {
          throw new Failure('UNAVAILABLE', 'too many requests are being sent')
        }
        ownBytes += bytes
        count(peer, bytes)
      }
      try {
        return await use(await readBody(request, take))
      } finally {
        if (ownBytes > 0) count(peer, -ownBytes)
      }
    },
  }
}

/** Calls `take` before it takes more memory. */
async function readBody(request: BodyOf, take: (bytes: number) => void): Promise<Uint8Array> {
  if (Number(request.headers['content-length']) > bodyBytesMax) throw new Failure('BODY_TOO_LARGE')
  take(firstBytes)
  return new Promise((resolve, reject) => {
    // One buffer that grows: a chunk kept as an object takes two hundred bytes however small it is.
    let body = new Uint8Array(firstBytes)
    let bytes = 0

    function add(chunk: Uint8Array): void {
      const bytesNow = bytes + chunk.length
      if (bytesNow > bodyBytesMax) throw new Failure('BODY_TOO_LARGE')
      if (bytesNow > body.length) {
        const largerBytes = Math.min(bodyBytesMax, Math.max(bytesNow, 2 * body.length))
        take(largerBytes - body.length)
        const larger = new Uint8Array(largerBytes)
        larger.set(body)
        body = larger
      }
      body.set(chunk, bytes)
      bytes = bytesNow
    }

    function onData(chunk: Uint8Array): void {
      try {
        add(chunk)
      } catch (error) {
        request.off('data', onData)
        request.resume()
        reject(error)
      }
    }

    request.on('data', onData)
    request.once('end', () => resolve(body.subarray(0, bytes)))
    // The caller went away.
    request.once('error', (cause) =>
      reject(new Failure('BODY_INVALID', { reason: 'the request could not be read', cause })),
    )
  })
}
