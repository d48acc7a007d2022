import type { IncomingMessage } from 'node:http'
import { Failure } from '../../protocol/wire/failures.ts'

export const bodyBytesMax = 1_048_576

/** Nearly every body fits into these. */
const firstBytes = 4_096

/**
 * The body as bytes, whatever its content type says or does not say: they are what the caller signed. Throws
 * BODY_TOO_LARGE; what is left of such a body is dropped as it comes, since closing at once would reset the connection
 * under the answer.
 */
export function readBody(request: IncomingMessage): Promise<Uint8Array> {
  if (Number(request.headers['content-length']) > bodyBytesMax) return Promise.reject(new Failure('BODY_TOO_LARGE'))
  return new Promise((resolve, reject) => {
    // One buffer that grows: a chunk kept as an object takes two hundred bytes however small it is.
    let body = new Uint8Array(firstBytes)
    let bytes = 0

    function take(chunk: Uint8Array): void {
      const bytesNow = bytes + chunk.length
      if (bytesNow > bodyBytesMax) {
        request.off('data', take)
        reject(new Failure('BODY_TOO_LARGE'))
        return
      }
      if (bytesNow > body.length) {
        const larger = new Uint8Array(Math.min(bodyBytesMax, Math.max(bytesNow, 2 * body.length)))
        larger.set(body)
        body = larger
      }
      body.set(chunk, bytes)
      bytes = bytesNow
    }

    request.on('data', take)
    request.once('end', () => resolve(body.subarray(0, bytes)))
    // The caller went away.
    request.once('error', (cause) =>
      reject(new Failure('BODY_INVALID', { reason: 'the request could not be read', cause })),
    )
  })
}
