import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { limitAnswer } from '../../../link/answer_limit.ts'
import { anyLookup } from './dial.ts'
import { createResolve } from './resolve.ts'
import { createTrust } from './trust.ts'

/** The answer of a witness. */
export type WitnessResponse = {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: Uint8Array
}

/** Posts a request to a witness. Rejects if there is no whole answer, or a long one. */
export type AskWitness = (url: string, body: Uint8Array, signal: AbortSignal) => Promise<WitnessResponse>

/** A cosignature has 3.4 KB at most, so there is room for a dozen. */
const answerBytesMax = 65_536

/**
 * Returns what asks the witnesses that the operator has chosen: by https, or plain HTTP on this machine. They may be at
 * private addresses. Redirections are not followed.
 */
export function createWitnessClient({ caFile }: { readonly caFile: string | undefined }): AskWitness {
  const lookup = anyLookup(createResolve())
  const trust = createTrust(caFile)

  return async (url, body, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<WitnessResponse>()
    const headers = { 'content-type': 'text/plain', 'content-length': body.length, connection: 'close' }
    const connecting = { secureContext: await trust(), signal, lookup }
    const send = url.startsWith('https:') ? tlsRequest : plainRequest
    const sent = send(url, { ...connecting, method: 'POST', agent: false, headers })
    sent.on('error', reject)
    sent.on('socket', (socket) => limitAnswer(socket, answerBytesMax))
    // Without a listener Node ends the request without a word.
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
    sent.end(body)
    return promise
  }
}
