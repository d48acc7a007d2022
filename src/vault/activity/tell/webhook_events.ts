import type { TSchema } from 'typebox'
import { canHoldAddress, withoutAddresses } from '../../../contract/fields/webhook_address.ts'
import type { Activity } from '../../../contract/records/activity.ts'
import type { ShownActivity } from '../../../contract/records/activity_view.ts'
import type { WebhookEndpoint } from '../../../contract/records/records.ts'
import { operationOfActivity } from '../../../deciding/organization/submitted.ts'
import { lazily } from '../../../protocol/tools/lazily.ts'
import { type WebhookEventType, webhookFeatureName } from '../../../protocol/wire/webhooks.ts'
import type { MadeHead } from '../../state/draft/changes.ts'
import { webhookRow } from '../../state/draft/outbox.ts'
import { type Organization, openRecently } from '../../state/organization.ts'
import { activityViewer, askForVoters } from './activity_viewer.ts'
import type { Listener } from './listener.ts'

/**
 * The characters of all events of one activity for the endpoints of an organization together. One commit writes them, and
 * all organizations wait for it. An endpoint that takes none leaves them on the disk for a day.
 */
const eventCharactersMax = 1024 * 1024

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
 * Tells the webhook endpoints of the organization and of its parent, each by one event. A vote that changes no status has
 * none. Without endpoints it takes no read.
 */
export const webhookEvents: Listener = (context, { target, version, activity: before }, { voted }) => {
  const { parentId } = target.head
  const parent = parentId === undefined ? undefined : openRecently(context, parentId)
  const subscribers = [...endpointsOf(target), ...(parent === undefined ? [] : endpointsOf(parent))]
  if (subscribers.length === 0) return () => ({})
  askForVoters(target, [voted])
  return ({ activity, changes }) => {
    // An endpoint that the activity itself removes gets no event of it.
    const kept = subscribers.filter((each) => isKept(each, changes.made))
    // The status of a submission changes always: none is stored as created.
    if (kept.length === 0 || activity.status === before.status) return {}
    const { services, nowMs } = context
    const { activityId, organizationId: happenedIn } = activity
    const seen = activityViewer(context, { organization: target, caller: undefined }, [activity])(activity)
    const bodyFor = bodiesOf(activity, seen, kept)
    const event = { activityId, activityVersion: version + 1, eventType, happenedIn, nowMs } as const
    const outbox = kept.map(({ organizationId, endpointId, url }) =>
      webhookRow(services, organizationId, { ...event, endpointId, url, body: bodyFor(organizationId) }),
    )
    return { outbox }
  }
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

/**
 * Returns what makes the body of an event for the endpoints of an organization: without the content of the activity, if
 * that would make their events too large. The endpoints of a sub-organization take nothing from those of its parent.
 */
function bodiesOf(
  activity: Activity,
  seen: ShownActivity,
  subscribers: readonly Subscriber[],
): (organizationId: string) => string {
  const whole = JSON.stringify(withoutWebhookAddresses(activity, seen))
  const small = lazily(() => JSON.stringify(withContent(seen, { intent: {}, result: {} })))
  return (organizationId) => {
    const count = subscribers.filter((each) => each.organizationId === organizationId).length
    return whole.length * count <= eventCharactersMax ? whole : small()
  }
}

/** Its votes and proofs say its content too, so they lose it. */
function withContent(activity: ShownActivity, content: Readonly<Record<'intent' | 'result', unknown>>): object {
  const { appProofs: _, ...rest } = activity
  const votes = activity.votes.map((vote) => ({ ...vote, message: '', signature: '' }))
  return { ...rest, ...content, votes }
}

/**
 * The activity as receivers may know it. An address may have a secret, which the receiver of another one must not learn:
 * neither from a stamped message nor by sending a stamp again, which would show the activity as its signer sees it, with
 * its result. So events of such an operation have no stamps, whether it shows an address or not.
 */
function withoutWebhookAddresses(activity: Activity, seen: ShownActivity): object {
  const { parameters, result } = operationOfActivity(activity).accepted
  if (!canHoldAddress(parameters) && !canHoldAddress(result)) return seen
  const shown = (schema: TSchema, content: object) =>
    Object.fromEntries(Object.entries(content).map(([key, value]) => [key, withoutAddresses(schema, value)]))
  return withContent(seen, { intent: shown(parameters, seen.intent), result: shown(result, seen.result) })
}

function isKept({ kind, organizationId, endpointId }: Subscriber, made: readonly MadeHead[]): boolean {
  const head = made.find((each) => each.head.organizationId === organizationId)?.head
  return head === undefined || head.listed.get(kind)?.has(endpointId) === true
}
