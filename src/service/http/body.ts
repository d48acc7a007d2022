import type { IncomingMessage } from 'node:http'
import { Failure } from '../../protocol/failures.ts'

export const bodyBytesMax = 1_048_576

/**
 * The body as bytes, whatever its content type says or does not say: they are what the caller signed. Throws
 * BODY_TOO_LARGE; what is left of such a body is dropped as it comes, since closing at once would reset the connection
 * under the answer.
 */
export async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  if (Number(request.headers['content-length']) > bodyBytesMax) throw new Failure('BODY_TOO_LARGE')
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let bytes = 0

    function take(chunk: Uint8Array): void {
      bytes += chunk.length
      if (bytes <= bodyBytesMax) {
        chunks.push(chunk)
        return
      }
      request.off('data', take)
      reject(new Failure('BODY_TOO_LARGE'))
    }

    request.on('data', take)
    request.once('end', () => resolve(Buffer.concat(chunks, bytes)))
    // The caller went away.
    request.once('error', (cause) =>
      reject(new Failure('BODY_INVALID', { reason: 'the request could not be read', cause })),
    )
  })
}
