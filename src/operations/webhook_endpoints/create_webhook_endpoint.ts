import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import { code, row, text } from '../../contract/explanation/shown_values.ts'
import { fields, Label, optional } from '../../contract/fields/fields.ts'
import { endpointRows, sentToWarnings } from './shared/webhook_changes.ts'
import {
  checkSubscriptions,
  checkWebhookUrl,
  requireHttps,
  Subscriptions,
  subscriptionsDefault,
  WebhookEndpointView,
  WebhookUrl,
  webhookEndpointView,
} from './shared/webhook_endpoints.ts'

export default defineActivity({
  name: 'create_webhook_endpoint',
  summary: 'Creates an endpoint that gets the activities of the organization and of its sub-organizations.',
  policy: { resource: 'WEBHOOK_ENDPOINT', action: 'CREATE' },
  parameters: fields({ url: WebhookUrl, name: Label, subscriptions: optional(Subscriptions) }),
  result: Type.Object({ endpointId: Type.String(), webhookEndpoint: WebhookEndpointView }),
  check({ url, subscriptions = [] }) {
    checkWebhookUrl(url)
    checkSubscriptions(subscriptions)
  },
  explain: ({ parameters: { url, name, subscriptions = subscriptionsDefault }, now }) =>
    changesContent(now, {
      code: 'create_webhook_endpoint',
      subject: [text(name)],
      warnings: sentToWarnings(undefined, { url, subscriptions }),
      rows: [...endpointRows({ url, name, subscriptions }), row('about', code('organizationAndBelow'))],
    }),

  run({ organization: { organizationId, webhookEndpoints }, parameters, newId, loopbackHttp }) {
    const { url, name, subscriptions = subscriptionsDefault } = parameters
    requireHttps(url, { loopbackHttp })
    const endpoint = webhookEndpoints.add({ endpointId: newId(), url, name, isActive: true, subscriptions })
    return { endpointId: endpoint.endpointId, webhookEndpoint: webhookEndpointView(endpoint, organizationId) }
  },
})
