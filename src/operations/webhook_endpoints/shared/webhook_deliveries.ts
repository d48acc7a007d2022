import Type, { type Static } from 'typebox'
import { oneOf, optional, Timestamp } from '../../../contract/fields/fields.ts'
import { asId } from '../../../contract/fields/ids.ts'
import { named, texts, view } from '../../../contract/fields/named.ts'
import { shown } from '../../../contract/fields/shown.ts'
import { feature, type Need, webhookEndpoint } from '../../../contract/needs.ts'
import { timestampView } from '../../../contract/records/views.ts'
import type { FoundWebhook } from '../../../protocol/reads.ts'
import { webhookFeatureName } from '../../../protocol/wire/webhooks.ts'

/** An endpoint by its id, or the address of the feature by the feature's name. */
export const EndpointName = Type.String({
  pattern: `^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|${webhookFeatureName})$`,
  expected: `the id of an endpoint, or ${webhookFeatureName}`,
  ...named('WebhookEndpointName'),
})

export const DeliveryStatus = oneOf(
  ['WEBHOOK_DELIVERY_STATUS_WAITING', 'WEBHOOK_DELIVERY_STATUS_FAILED'],
  named('WebhookDeliveryStatus'),
)

export const DeliveryView = view('WebhookDelivery', {
  ...texts('deliveryId', 'endpointId', 'activityId'),
  status: DeliveryStatus,
  attempts: Type.Integer(),
  expiresAt: Timestamp,
  nextAttemptAt: optional(Timestamp),
  failedAt: optional(Timestamp),
  reason: optional(Type.String()),
})

export function deliveryView(delivery: FoundWebhook): Static<typeof DeliveryView> {
  const { messageId: deliveryId, expiresAtMs, dueAtMs, endedAtMs, reason } = delivery
  return shown(DeliveryView, {
    ...delivery,
    deliveryId,
    status: endedAtMs === null ? 'WEBHOOK_DELIVERY_STATUS_WAITING' : 'WEBHOOK_DELIVERY_STATUS_FAILED',
    expiresAt: timestampView(expiresAtMs),
    nextAttemptAt: endedAtMs !== null || dueAtMs === 0 ? undefined : timestampView(dueAtMs),
    failedAt: endedAtMs === null ? undefined : timestampView(endedAtMs),
    reason: reason ?? undefined,
  })
}

/** The feature need not be set. */
export function endpointNeed(endpointId: string): Need {
  const id = endpointIdOf(endpointId)
  return id === webhookFeatureName ? feature(webhookFeatureName) : webhookEndpoint(asId(id))
}

/** Returns the id of the endpoint as rows have it. */
export function endpointIdOf(given: string): string {
  return given === webhookFeatureName ? given : asId(given)
}
