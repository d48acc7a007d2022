import { type SignedWebhook, webhookFeatureName } from '../../protocol/wire/webhooks.ts'
import type { Log } from '../log.ts'
import type { DueWebhook, Store, WebhookOrganization } from '../store/store.ts'
import { type VaultClient, VaultUnavailable } from '../vault/client.ts'
import { type Carrier, faultOf, type Outcome, type Reason } from './carrier.ts'
import { backoffMs, type Delivery, type Unopened } from './delivery.ts'

/** Deliveries of webhooks at once. Mail and SMS have their own, so slow receivers do not delay them. */
export const webhooksAtOnceMax = 32
/** Of one organization, so that its slow receivers do not delay those of others. */
export const webhooksOfOrganizationMax = 4
/** Of one organization and its sub-organizations, of which it may make many. */
export const webhooksOfFamilyMax = 16
const attemptMsMax = 10_000
/** Longer than any attempt: a claimed event is due again after this, because its service may have died. */
const inHandMsMax = 60_000
const lookMsMax = 1_000
/** One look visits so many organizations. The next look goes on behind them. */
const organizationsPerLookMax = 64
/** The newest events of an endpoint that were given up are kept, and for this long. */
export const givenUpMax = 1_000
export const givenUpMsMax = 7 * 24 * 60 * 60 * 1000
const sweepMsMax = 60 * 60 * 1000

type Parts = {
  readonly store: Pick<Store, 'nextWebhookOrganization' | 'dueWebhooks' | 'changeWebhook' | 'find'>
  readonly vault: Pick<VaultClient, 'openMessage'>
  readonly carry: Carrier<SignedWebhook>
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** For tests. */
  readonly nowMs?: () => number
  readonly attemptMs?: number
  readonly lookMs?: number
  readonly givenUpKept?: number
}

/**
 * Delivers each event at least once, and those about one activity in order. A failed attempt is repeated as that of a
 * mail, until the event expires. An event that is refused or expires is kept for a while, to be listed and replayed.
 * Events of an endpoint that is gone are dropped.
 */
export function startWebhookDelivery(parts: Parts): Delivery {
  const { store, vault, carry, log, nowMs = Date.now, attemptMs = attemptMsMax, lookMs = lookMsMax } = parts
  const { givenUpKept = givenUpMax } = parts
  const inHand = new Map<Promise<void>, WebhookOrganization>()
  let woken = Promise.withResolvers<void>()
  let isClosing = false
  let lastOrganizationId = ''
  let sweptAtMs = Number.NEGATIVE_INFINITY
  const ended = run()

  return {
    wake: () => woken.resolve(),
    close() {
      isClosing = true
      woken.resolve()
      return ended
    },
  }

  async function run(): Promise<void> {
    while (!isClosing) {
      woken = Promise.withResolvers()
      await look().catch((error: unknown) => log.error({ channel: 'webhook', error }, 'the events cannot be read'))
      const timer = setTimeout(woken.resolve, lookMs)
      if (!isClosing) await woken.promise
      clearTimeout(timer)
    }
    await Promise.all(inHand.keys())
  }

  /** Takes due events of one organization after the other, each time from where the last look ended. */
  async function look(): Promise<void> {
    await sweep()
    const visited = new Set<string>()
    while (visited.size < organizationsPerLookMax && inHand.size < webhooksAtOnceMax) {
      const next = await nextOrganization()
      if (next === undefined || visited.has(next.organizationId)) return
      visited.add(next.organizationId)
      lastOrganizationId = next.organizationId
      await takeDueOf(next)
    }
  }

  async function nextOrganization(): Promise<WebhookOrganization | undefined> {
    const next = await store.nextWebhookOrganization({ after: lastOrganizationId })
    return next ?? (lastOrganizationId === '' ? undefined : store.nextWebhookOrganization({ after: '' }))
  }

  async function takeDueOf(organization: WebhookOrganization): Promise<void> {
    const { organizationId } = organization
    const taken = [...inHand.values()]
    const ofOrganization = taken.filter((one) => one.organizationId === organizationId).length
    const ofFamily = taken.filter((one) => familyOf(one) === familyOf(organization)).length
    const limit = Math.min(
      webhooksOfOrganizationMax - ofOrganization,
      webhooksOfFamilyMax - ofFamily,
      webhooksAtOnceMax - taken.length,
    )
    if (limit <= 0) return
    for (const event of await store.dueWebhooks({ organizationId, nowMs: nowMs(), limit })) {
      const dueAtMs = nowMs() + inHandMsMax
      if ((await store.changeWebhook({ change: 'claim', ...idOf(event), dueAtMs })) === 'conflict') continue
      const delivered = deliver(event).finally(() => {
        inHand.delete(delivered)
        woken.resolve()
      })
      inHand.set(delivered, organization)
    }
  }

  async function deliver(event: DueWebhook): Promise<void> {
    const { organizationId, messageId, endpointId } = event
    const attempt = event.attempts + 1
    const about = { organizationId, messageId, endpointId, attempt }
    try {
      if (await isOfNobody(event)) {
        await store.changeWebhook({ change: 'drop', organizationId, endpointId })
        return log.info(about, 'the events of an endpoint that is gone were dropped')
      }
      const outcome = await attemptOnce(event)
      switch (outcome.kind) {
        case 'delivered':
          await store.changeWebhook({ change: 'remove', organizationId, messageId })
          return log.info(about, 'an event was delivered')
        case 'failed':
          await postpone(event, outcome, attempt)
          return log.warn({ ...about, ...reasonOf(outcome) }, 'an event could not be delivered yet')
        case 'refused':
          await giveUp(event, textOf(outcome))
          return log.warn({ ...about, ...reasonOf(outcome) }, 'an event was refused for good')
        case 'expired':
          await giveUp(event, 'expired')
          return log.warn(about, 'an event expired before it could be delivered')
        case 'integrity':
          await store.changeWebhook({ change: 'remove', organizationId, messageId })
          return log.error(
            { ...about, incident: outcome.incident },
            'an event is not what the vault sealed: it is dropped',
          )
      }
    } catch (error) {
      log.error({ ...about, error }, 'the events cannot be written')
    }
  }

  /** Whether the endpoint was deleted, or switched off where it is a feature. */
  async function isOfNobody({ organizationId, endpointId }: DueWebhook): Promise<boolean> {
    const kind = endpointId === webhookFeatureName ? 'feature' : 'webhook_endpoint'
    const [found] = await store.find([{ read: 'record', organizationId, kind, recordId: endpointId }])
    return found?.read === 'record' && found.row === undefined
  }

  async function postpone({ organizationId, messageId, expiresAtMs }: DueWebhook, failure: Reason, attempt: number) {
    // The last attempt comes at the expiry: the vault then answers `expired`.
    const lastMs = Math.max(expiresAtMs, nowMs() + backoffMs(1))
    const dueAtMs = Math.min(nowMs() + backoffMs(attempt), lastMs)
    await store.changeWebhook({ change: 'postpone', organizationId, messageId, dueAtMs, reason: textOf(failure) })
  }

  async function giveUp({ organizationId, messageId, endpointId }: DueWebhook, reason: string): Promise<void> {
    await store.changeWebhook({ change: 'end', organizationId, messageId, endedAtMs: nowMs(), reason })
    await store.changeWebhook({ change: 'trim', organizationId, endpointId, kept: givenUpKept })
  }

  async function sweep(): Promise<void> {
    if (nowMs() - sweptAtMs < sweepMsMax) return
    sweptAtMs = nowMs()
    await store.changeWebhook({ change: 'expire', endedBeforeMs: nowMs() - givenUpMsMax })
  }

  async function attemptOnce({ organizationId, messageId, sealed }: DueWebhook): Promise<Outcome | Unopened> {
    try {
      const opened = await vault.openMessage({ organizationId, messageId, sealed })
      if (opened.kind !== 'message') return opened
      if (opened.message.channel !== 'webhook') throw new Error('a message to a person is in the outbox')
      return await carry(opened.message, { messageId, signal: AbortSignal.timeout(attemptMs) })
    } catch (error) {
      if (error instanceof VaultUnavailable) return { kind: 'failed', reason: 'the vault is away' }
      return faultOf(error)
    }
  }
}

function familyOf({ organizationId, parentId }: WebhookOrganization): string {
  return parentId ?? organizationId
}

function idOf({ organizationId, messageId, attempts }: DueWebhook) {
  return { organizationId, messageId, attempts }
}

function reasonOf({ reason, code }: Reason) {
  return { reason, code }
}

/** For the list of deliveries: words of `Reason` and a code. */
function textOf({ reason, code }: Reason): string {
  return code === undefined ? reason : `${reason} (${code})`
}
