import Type, { type Static } from 'typebox'
import { Flag, list, namedFields, oneOf, optional } from '../../../contract/fields/fields.ts'
import { texts, view } from '../../../contract/fields/named.ts'
import { shown } from '../../../contract/fields/shown.ts'
import { webhookAddress } from '../../../contract/fields/webhook_address.ts'
import type { WebhookEndpoint } from '../../../contract/records/records.ts'
import { fieldInvalid, fieldRefused } from '../../../protocol/wire/failures.ts'
import {
  isPlainHttp,
  isWebhookUrl,
  webhookEventTypes,
  webhookUrlCharactersMax,
  webhookUrlExpected,
} from '../../../protocol/wire/webhooks.ts'

export const WebhookUrl = Type.String({
  ...{ maxLength: webhookUrlCharactersMax, expected: webhookUrlExpected },
  ...webhookAddress(),
})

const subscriptionsMax = webhookEventTypes.length

export const Subscriptions = list(
  namedFields('WebhookSubscriptionParams', {
    eventType: oneOf(webhookEventTypes),
    filtersJson: optional(Type.String({ maxLength: 0, expected: 'left out or empty: events are not filtered' })),
    isActive: optional(Flag),
  }),
  { itemsMin: 1, itemsMax: subscriptionsMax },
)

/** Without a list, an endpoint gets the only events that there are. */
export const subscriptionsDefault = [{ eventType: 'ACTIVITY_UPDATES' }] as const

export const WebhookEndpointView = view('WebhookEndpointData', {
  ...texts('endpointId', 'organizationId'),
  url: Type.String(webhookAddress()),
  ...texts('name'),
  isActive: Type.Boolean(),
  subscriptions: Type.Array(
    Type.Object({ eventType: Type.String(), filtersJson: optional(Type.String()), isActive: optional(Type.Boolean()) }),
  ),
})

export function webhookEndpointView(endpoint: WebhookEndpoint, organizationId: string) {
  return shown(WebhookEndpointView, { ...endpoint, organizationId })
}

/** Throws FIELD_INVALID for an address that the schema cannot judge. */
export function checkWebhookUrl(url: string, fieldPath = 'parameters.url'): void {
  if (!isWebhookUrl(url)) throw fieldInvalid(fieldPath, webhookUrlExpected)
}

/** Throws FIELD_INVALID for plain HTTP, which only a server for development sends, and only to its own machine. */
export function requireHttps(
  url: string,
  { loopbackHttp, fieldPath = 'parameters.url' }: { readonly loopbackHttp: boolean; readonly fieldPath?: string },
): void {
  if (!loopbackHttp && isPlainHttp(url)) throw fieldInvalid(fieldPath, 'https, except under `dev`')
}

/** Throws FIELD_INVALID for an event that this server never makes, and for one that is named twice. */
export function checkSubscriptions(subscriptions: Static<typeof Subscriptions>): void {
  subscriptions.forEach(({ eventType }, index) => {
    const fieldPath = `parameters.subscriptions[${index}].eventType`
    if (eventType !== 'ACTIVITY_UPDATES') {
      const reason = `${eventType} needs a connection to a chain, which this server does not have: use ACTIVITY_UPDATES`
      throw fieldRefused(fieldPath, reason)
    }
    if (index > 0) throw fieldInvalid(fieldPath, 'an event that the list has once')
  })
}
