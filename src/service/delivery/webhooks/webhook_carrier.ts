import type { RunInTurn } from '../../../link/tls_limit.ts'
import { codeOf } from '../../../protocol/tools/error_codes.ts'
import { destinationOf } from '../../../protocol/wire/destination.ts'
import { isLoopbackHttp } from '../../../protocol/wire/loopback.ts'
import type { SignedWebhook } from '../../../protocol/wire/webhooks.ts'
import { type Carrier, type Outcome, withCode } from '../carrier.ts'
import { anyLookup, PrivateAddressError, publicLookup, type Resolve, requirePublicHost } from '../connections/dial.ts'
import { isOfTls, postForStatus } from '../connections/post.ts'
import { createResolve } from '../connections/resolve.ts'
import { createTrust } from '../connections/trust.ts'
import { createStepTurns } from './step_turns.ts'

/** An attempt whose turns of TLS were away for so long, all in all, is late: ten seconds may be too few for it. */
const awayMsMax = 1_000

const setting = 'CLAVIGER_WEBHOOK_PRIVATE_ADDRESSES'

/** An event, and whose it is. `familyId`: the parent of that organization, or else the organization itself. */
export type SentWebhook = SignedWebhook & { readonly organizationId: string; readonly familyId: string }

export type WebhookRules = {
  readonly privateAddresses: boolean
  /** Whether an address of this machine may speak plain HTTP: for development. */
  readonly loopbackHttp: boolean
  /** Certificates in PEM that are trusted besides those of the system. */
  readonly caFile?: string | undefined
  /** For tests. */
  readonly resolve?: Resolve
  readonly nowMs?: () => number
}

/**
 * Posts an event. 2xx is delivered, 3xx and 4xx are refused for good, everything else is tried again. Redirections are
 * not followed. Each attempt has its own connection, to an address that is checked when the connection is made.
 *
 * A receiver can make a step of TLS long, by certificates that are costly to verify. So a turn of the event loop has one
 * step, parents and the sub-organizations of each take turns, and long steps bring on rests
 * (docs/decisions/0185-turns-of-tls.md).
 */
export function createWebhookCarrier({
  privateAddresses,
  loopbackHttp,
  caFile,
  resolve = createResolve(),
  nowMs = () => performance.now(),
}: WebhookRules): Carrier<SentWebhook> {
  const lookup = privateAddresses ? anyLookup(resolve) : publicLookup(setting, resolve)
  const trust = createTrust(caFile)
  const turns = createStepTurns(nowMs)

  return async (webhook, { signal, onLate }) => {
    try {
      const url = new URL(webhook.url)
      if (url.protocol !== 'https:' && !(loopbackHttp && isLoopbackHttp(url)))
        return { kind: 'failed', reason: 'encryption' }
      if (!privateAddresses) requirePublicHost(destinationOf(url).host, setting)
      const { headers } = webhook
      const body = Buffer.from(webhook.body)
      const runInTurn = timedTurns((step) => turns.add(ownersOf(webhook), step), { nowMs, onLate })
      const secureContext = await trust()
      return outcomeOf(await postForStatus({ url, headers, body, secureContext, signal, lookup, runInTurn }))
    } catch (error) {
      if (signal.aborted) return { kind: 'failed', reason: 'timeout' }
      if (error instanceof PrivateAddressError) return { kind: 'failed', reason: 'private address' }
      return { kind: 'failed', ...withCode(isOfTls(error) ? 'encryption' : 'unreachable', codeOf(error)) }
    }
  }
}

/** A parent has turns of its own. All its sub-organizations have those of one, and take turns there. */
function ownersOf({ familyId, organizationId }: SentWebhook): readonly string[] {
  return [organizationId === familyId ? `family ${familyId}` : `below ${familyId}`, organizationId]
}

type Timing = { readonly nowMs: () => number; readonly onLate?: (() => void) | undefined }

/** Calls `onLate` once the turns that were waited for have been away for too long. */
function timedTurns(runInTurn: RunInTurn, { nowMs, onLate }: Timing): RunInTurn {
  let awayMs = 0
  return (step) => {
    const sinceMs = nowMs()
    runInTurn(() => {
      const isInTime = awayMs < awayMsMax
      awayMs += nowMs() - sinceMs
      if (isInTime && awayMs >= awayMsMax) onLate?.()
      step()
    })
  }
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status <= 299) return { kind: 'delivered' }
  if (status >= 300 && status <= 499) return { kind: 'refused', reason: 'refused', code: status }
  return { kind: 'failed', reason: 'refused for now', code: status }
}
