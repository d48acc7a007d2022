import { type ClientRequest, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { limitAnswer } from '../../../link/answer_limit.ts'
import { codeOf } from '../../../protocol/tools/error_codes.ts'
import { type Connecting, connectTls } from './connect_tls.ts'

/** So much is read of an answer, from its first byte. */
const answerBytesMax = 65_536
/** A body is read for so long, to end in order, where only the status is asked for. */
const bodyMsMax = 1_000

type Post = Pick<Connecting, 'secureContext' | 'lookup' | 'runInTurn'> & {
  readonly url: URL | string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly signal: AbortSignal
}

/**
 * Posts to another host, for a caller who listens to `response`, `error` and `upgrade`: without a listener to the last
 * one Node ends the request without a word, and then no signal ends it either. Redirections are not followed.
 */
export function startPost({ url, headers, body, signal, ...connecting }: Post): ClientRequest {
  const options = {
    method: 'POST',
    headers: { ...headers, 'Content-Length': body.length, Connection: 'close' },
    signal,
  }
  const sent =
    new URL(url).protocol === 'https:'
      ? tlsRequest(url, {
          ...options,
          createConnection: () => connectTls(new URL(url), { ...connecting, bodyBytes: body.length }),
        })
      : // Without an agent no connection is used again: a kept one would lead to an address that was checked long ago.
        plainRequest(url, { ...options, agent: false, lookup: connecting.lookup })
  sent.on('socket', (socket) => limitAnswer(socket, answerBytesMax))
  sent.end(body)
  return sent
}

/** Posts, and returns the status of the answer, whatever becomes of its body. */
export async function postForStatus(post: Post): Promise<number> {
  const answered = Promise.withResolvers<number>()
  const sent = startPost(post)
  sent.on('error', answered.reject)
  sent.on('upgrade', ({ statusCode = 0 }, socket) => {
    answered.resolve(statusCode)
    socket.destroy()
  })
  sent.on('response', (response) => {
    const { statusCode = 0 } = response
    const end = () => {
      clearTimeout(timer)
      answered.resolve(statusCode)
      sent.destroy()
    }
    const timer = setTimeout(end, bodyMsMax)
    sent.off('error', answered.reject).on('error', end) // the body may be too long, or the attempt too slow
    response.resume()
    response.on('end', end)
    response.on('error', end)
  })
  return answered.promise
}

/** Node names errors of certificates and of TLS by these codes. */
export function isOfTls(error: unknown): boolean {
  return /^(ERR_SSL|ERR_TLS|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/.test(String(codeOf(error)))
}
