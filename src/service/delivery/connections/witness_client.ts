import { anyLookup } from './dial.ts'
import { startPost } from './post.ts'
import { createResolve } from './resolve.ts'
import { createTrust } from './trust.ts'

/** The answer of a witness. */
export type WitnessResponse = {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: Uint8Array
}

/**
 * Posts a request to a witness. Rejects if there is no whole answer, or a long one. A cosignature has 3.4 KB at most, so
 * there is room for a dozen.
 */
export type AskWitness = (url: string, body: Uint8Array, signal: AbortSignal) => Promise<WitnessResponse>

/**
 * Returns what asks the witnesses that the operator has chosen: by https, or plain HTTP on this machine. They may be at
 * private addresses. Redirections are not followed.
 */
export function createWitnessClient({ caFile }: { readonly caFile: string | undefined }): AskWitness {
  const lookup = anyLookup(createResolve())
  const trust = createTrust(caFile)

  return async (url, body, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<WitnessResponse>()
    const headers = { 'content-type': 'text/plain' }
    const sent = startPost({ url, headers, body, secureContext: await trust(), signal, lookup })
    sent.on('error', reject)
    sent.on('upgrade', (_response, socket) => {
      socket.destroy()
      reject(new Error('it asks for another protocol'))
    })
    sent.on('response', (response) => {
      const chunks: Uint8Array[] = []
      response.on('data', (chunk: Uint8Array) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 0, headers: found } = response
        resolve({ status, contentType: found['content-type'], body: Buffer.concat(chunks) })
      })
    })
    return promise
  }
}
