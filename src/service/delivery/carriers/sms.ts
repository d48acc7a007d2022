import { lookup } from 'node:dns'
import { codeOf } from '../../../protocol/tools/error_codes.ts'
import type { Sms } from '../../../protocol/wire/outgoing_messages.ts'
import { type Carrier, type Outcome, withCode } from '../carrier.ts'
import { isOfTls, postForStatus } from '../connections/post.ts'
import { createTrust } from '../connections/trust.ts'
import type { SmsGateway } from './addresses.ts'

/** 4xx statuses after which the same request may succeed (RFC 9110, RFC 6585). */
const laterStatuses: readonly number[] = [408, 425, 429]

/**
 * Hands an SMS to the operator's gateway: `POST {"to","text","messageId"}` as JSON. 2xx is delivered. 4xx is refused
 * for good, except 408, 425 and 429. Everything else is tried again. Redirections are not followed, so the text goes
 * only to the address in the settings.
 */
export function createSmsGateway(
  { url, authorization }: SmsGateway,
  { caFile }: { readonly caFile: string | undefined },
): Carrier<Sms> {
  const headers = { 'Content-Type': 'application/json', ...(authorization && { Authorization: authorization }) }
  const trust = createTrust(caFile)

  return async ({ to, text }, { messageId, signal }) => {
    try {
      const body = Buffer.from(JSON.stringify({ to, text, messageId }))
      return outcomeOf(await postForStatus({ url, headers, body, secureContext: await trust(), signal, lookup }))
    } catch (error) {
      if (signal.aborted) return { kind: 'failed', reason: 'timeout' }
      return { kind: 'failed', ...withCode(isOfTls(error) ? 'encryption' : 'unreachable', codeOf(error)) }
    }
  }
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status <= 299) return { kind: 'delivered' }
  if (status >= 400 && status <= 499 && !laterStatuses.includes(status)) {
    return { kind: 'refused', reason: 'refused', code: status }
  }
  return { kind: 'failed', reason: 'refused for now', code: status }
}
