import { codeOf } from '../../../protocol/tools/error_codes.ts'
import { destinationOf } from '../../../protocol/wire/destination.ts'
import { isLoopbackHttp } from '../../../protocol/wire/loopback.ts'
import type { SignedWebhook } from '../../../protocol/wire/webhooks.ts'
import { type Carrier, type Outcome, withCode } from '../carrier.ts'
import { anyLookup, PrivateAddressError, publicLookup, type Resolve, requirePublicHost } from '../connections/dial.ts'
import { isOfTls, postForStatus } from '../connections/post.ts'
import { createResolve } from '../connections/resolve.ts'
import { createTrust } from '../connections/trust.ts'

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
      const { headers } = webhook
      const body = Buffer.from(webhook.body)
      return outcomeOf(await postForStatus({ url, headers, body, secureContext: await trust(), signal, lookup }))
    } catch (error) {
      if (signal.aborted) return { kind: 'failed', reason: 'timeout' }
      if (error instanceof PrivateAddressError) return { kind: 'failed', reason: 'private address' }
      return { kind: 'failed', ...withCode(isOfTls(error) ? 'encryption' : 'unreachable', codeOf(error)) }
    }
  }
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status <= 299) return { kind: 'delivered' }
  if (status >= 300 && status <= 499) return { kind: 'refused', reason: 'refused', code: status }
  return { kind: 'failed', reason: 'refused for now', code: status }
}
