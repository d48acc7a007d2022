import type { Activity, ActivityStatus } from '../../../operations/records/activity.ts'
import type { ShownActivity } from '../../../operations/records/activity_view.ts'
import type { WebhookEndpoint } from '../../../operations/records/records.ts'
import { withoutAddresses } from '../../../operations/webhook_endpoints/shared/webhook_addresses.ts'
import type { WebhookRow } from '../../../protocol/reads.ts'
import { type WebhookEventType, webhookFeatureName } from '../../../protocol/wire/webhooks.ts'
import type { Making, Reading } from '../../caller/request_context.ts'
import type { MadeHead } from '../../state/changes.ts'
import { type Organization, openRecently } from '../../state/organization.ts'
import { webhookRow } from '../../state/outbox.ts'
import { activityViewer } from './activity_viewer.ts'

const eventType = 'ACTIVITY_UPDATES' satisfies WebhookEventType

/** An address that gets the events of an activity. */
type Subscriber = {
  readonly kind: 'webhook_endpoint' | 'feature'
  /** The organization of the endpoint. */
  readonly organizationId: string
  readonly endpointId: string
  readonly url: string
}

/**
 * Returns who gets the events of activities in this organization: its own endpoints and those of its parent. Call it
 * before the operation runs, so that a read that is missing is asked for then. Without endpoints it takes no read.
 */
export function subscribersOf(context: Reading, target: Organization): readonly Subscriber[] {
  const { parentId } = target.head
  const parent = parentId === undefined ? undefined : openRecently(context, parentId)
  return [...endpointsOf(target), ...(parent === undefined ? [] : endpointsOf(parent))]
}

function endpointsOf(organization: Organization): readonly Subscriber[] {
  const { organizationId, listed } = organization.head
  const endpoints = (listed.get('webhook_endpoint')?.size ?? 0) === 0 ? [] : organization.allListed('webhook_endpoint')
  const url = organization.isListed('feature', webhookFeatureName)
    ? organization.listed('feature', webhookFeatureName)?.value
    : undefined
  return [
    ...endpoints
      .filter(isSubscribed)
      .map(({ endpointId, url }) => ({ kind: 'webhook_endpoint', organizationId, endpointId, url }) as const),
    ...(url === undefined ? [] : [{ kind: 'feature', organizationId, endpointId: webhookFeatureName, url } as const]),
  ]
}

function isSubscribed({ isActive, subscriptions }: WebhookEndpoint): boolean {
  return isActive && subscriptions.some((each) => each.eventType === eventType && each.isActive !== false)
}

type Changed = {
  readonly target: Organization
  readonly activity: Activity
  /** The status before; undefined for a new activity. */
  readonly statusBefore: ActivityStatus | undefined
  readonly version: number
  readonly made: readonly MadeHead[]
}

/** Returns the events of a new version of an activity, one for each endpoint. A vote that changes no status has none. */
export function webhookEvents(
  context: Making,
  { target, activity, statusBefore, version, made }: Changed,
): readonly WebhookRow[] {
  if (activity.status === statusBefore) return []
  // An endpoint that the activity itself removes gets no event of it.
  const subscribers = subscribersOf(context, target).filter((each) => isKept(each, made))
  if (subscribers.length === 0) return []
  const { services, nowMs } = context
  const { activityId, organizationId: happenedIn } = activity
  const seen = activityViewer(context, { organization: target, caller: undefined }, [activity])(activity)
  const body = JSON.stringify(withoutWebhookAddresses(seen))
  return subscribers.map(({ organizationId, endpointId, url }) =>
    webhookRow(services, organizationId, {
      ...{ endpointId, activityId, activityVersion: version, url, eventType, body, happenedIn, nowMs },
    }),
  )
}

/**
 * The activity as receivers may know it. An address may have a secret, which the receiver of another one must not learn:
 * neither from a stamped message nor by sending a stamp again, which would show the activity as its signer sees it.
 */
function withoutWebhookAddresses(seen: ShownActivity): object {
  const intent = withoutAddresses(seen.intent)
  const result = withoutAddresses(seen.result)
  if (intent === seen.intent && result === seen.result) return seen
  const { appProofs: _, ...rest } = seen
  const votes = seen.votes.map((vote) => ({ ...vote, message: '', signature: '' }))
  return { ...rest, intent, result, votes }
}

function isKept({ kind, organizationId, endpointId }: Subscriber, made: readonly MadeHead[]): boolean {
  const head = made.find((each) => each.head.organizationId === organizationId)?.head
  return head === undefined || head.listed.get(kind)?.has(endpointId) === true
}
