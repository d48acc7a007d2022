import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import { code, row, rowsOf, text } from '../../contract/explanation/shown_values.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { webhookFeatureName } from '../../protocol/wire/webhooks.ts'
import { EndpointName, endpointIdOf, endpointNeed } from './shared/webhook_deliveries.ts'

export default defineActivity({
  name: 'replay_webhook_delivery',
  isOwn: true,
  summary: 'Sends an event that could not be delivered once more, to the present address of its endpoint.',
  policy: { resource: 'WEBHOOK_ENDPOINT', action: 'UPDATE' },
  isEveryday: true,
  parameters: fields({ endpointId: EndpointName, deliveryId: Uuid }),
  result: Type.Object({ deliveryId: Type.String() }),
  needs: ({ endpointId, deliveryId }) => [endpointNeed(endpointId), { need: 'delivery', deliveryId }],
  explain: ({ parameters, now }) => {
    const endpointId = endpointIdOf(parameters.endpointId)
    const isFeature = endpointId === webhookFeatureName
    const endpoint = isFeature ? code(webhookFeatureName) : now.named(endpointId)
    const url = isFeature
      ? now.find('feature', webhookFeatureName)?.value
      : now.find('webhook_endpoint', endpointId)?.url
    return changesContent(now, {
      code: 'replay_webhook_delivery',
      subject: [endpoint],
      rows: [
        row('webhook_endpoint', endpoint),
        row('delivery', now.named(parameters.deliveryId)),
        ...rowsOf({ url: url === undefined ? undefined : text(url) }),
      ],
    })
  },

  run({ organization, parameters, sendAgain }) {
    const endpointId = endpointIdOf(parameters.endpointId)
    const { deliveryId } = parameters
    const url =
      endpointId === webhookFeatureName
        ? organization.features.find(webhookFeatureName)?.value
        : organization.webhookEndpoints.get(endpointId).url
    const [delivery] = organization.deliveries()
    if (delivery === undefined || delivery.endpointId !== endpointId || delivery.endedAtMs === null) {
      throw new Failure('NOT_FOUND', `the endpoint has no event ${deliveryId} that could not be delivered`)
    }
    if (url === undefined) throw new Failure('NOT_FOUND', `the feature ${webhookFeatureName} is not set`)
    return { deliveryId: sendAgain({ deliveryId, url }) }
  },
})
