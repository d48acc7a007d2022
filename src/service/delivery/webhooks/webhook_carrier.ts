import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { SecureContext } from 'node:tls'
import { limitAnswer } from '../../../link/answer_limit.ts'
import { codeOf } from '../../../protocol/tools/error_codes.ts'
import { destinationOf } from '../../../protocol/wire/destination.ts'
import { isLoopbackHttp } from '../../../protocol/wire/loopback.ts'
import type { SignedWebhook } from '../../../protocol/wire/webhooks.ts'
import { type Carrier, type Outcome, withCode } from '../carrier.ts'
import { anyLookup, PrivateAddressError, publicLookup, type Resolve, requirePublicHost } from '../connections/dial.ts'
import { createResolve } from '../connections/resolve.ts'
import { createTrust } from '../connections/trust.ts'

/** So much is read of an answer, from its first byte. */
export const answerBytesMax = 65_536
/** A body is read for so long, to end in order. Nothing of it is used. */
const answerMsMax = 1_000
const setting = 'CLAVIGER_WEBHOOK_PRIVATE_ADDRESSES'

export type WebhookRules = {
  readonly privateAddresses: boolean
  /** Whether an address of this machine may speak plain HTTP: for development. */
  readonly loopbackHttp: boolean
  /** Certificates in PEM that are trusted besides those of the system. */
  readonly caFile?: string | undefined
  /** For tests. */
  readonly resolve?: Resolve
}

/**
 * Posts an event. 2xx is delivered, 3xx and 4xx are refused for good, everything else is tried again. Redirections are
 * not followed. Each attempt has its own connection, to an address that is checked when the connection is made.
 */
export function createWebhookCarrier({
  privateAddresses,
  loopbackHttp,
  caFile,
  resolve = createResolve(),
}: WebhookRules): Carrier<SignedWebhook> {
  const lookup = privateAddresses ? anyLookup(resolve) : publicLookup(setting, resolve)
  const trust = createTrust(caFile)

  return async (webhook, { signal }) => {
    try {
      const url = new URL(webhook.url)
      if (url.protocol !== 'https:' && !(loopbackHttp && isLoopbackHttp(url)))
        return { kind: 'failed', reason: 'encryption' }
      if (!privateAddresses) requirePublicHost(destinationOf(url).host, setting)
      return outcomeOf(await post(url, webhook, { secureContext: await trust(), signal, lookup }))
    } catch (error) {
      if (signal.aborted) return { kind: 'failed', reason: 'timeout' }
      if (error instanceof PrivateAddressError) return { kind: 'failed', reason: 'private address' }
      return { kind: 'failed', ...withCode(isOfTls(error) ? 'encryption' : 'unreachable', codeOf(error)) }
    }
  }
}

type Connecting = {
  readonly secureContext: SecureContext
  readonly lookup: LookupFunction
  readonly signal: AbortSignal
}

/** Returns the status of the answer, whatever becomes of its body. */
async function post(url: URL, { headers, body }: SignedWebhook, connecting: Connecting): Promise<number> {
  const answered = Promise.withResolvers<number>()
  const bytes = Buffer.from(body)
  const request = url.protocol === 'https:' ? tlsRequest : plainRequest
  const sent = request(url, {
    ...connecting,
    method: 'POST',
    // Without an agent no connection is used again: a kept one would lead to an address that was checked long ago.
    agent: false,
    headers: { ...headers, 'Content-Length': bytes.length, Connection: 'close' },
  })
  sent.on('error', answered.reject)
  sent.on('socket', (socket) => limitAnswer(socket, answerBytesMax))
  // Without a listener Node ends the request without a word, and then no signal ends it either.
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
    const timer = setTimeout(end, answerMsMax)
    sent.off('error', answered.reject).on('error', end) // the body may be too long, or the attempt too slow
    response.resume()
    response.on('end', end)
    response.on('error', end)
  })
  sent.end(bytes)
  return answered.promise
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status <= 299) return { kind: 'delivered' }
  if (status >= 300 && status <= 499) return { kind: 'refused', reason: 'refused', code: status }
  return { kind: 'failed', reason: 'refused for now', code: status }
}

/** Node names errors of certificates and of TLS by these codes. */
function isOfTls(error: unknown): boolean {
  return /^(ERR_SSL|ERR_TLS|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/.test(String(codeOf(error)))
}
