import Type from 'typebox'
import { defineActivity } from '../define.ts'
import { Flag, fields, Label, optional, Uuid } from '../fields/fields.ts'
import { webhookEndpoint } from '../needs.ts'
import { checkWebhookUrl, WebhookEndpointView, WebhookUrl, webhookEndpointView } from './shared/webhook_endpoints.ts'

export default defineActivity({
  name: 'update_webhook_endpoint',
  summary: 'Changes the address or the name of an endpoint, or switches it off or on.',
  policy: { resource: 'WEBHOOK_ENDPOINT', action: 'UPDATE' },
  parameters: fields({
    endpointId: Uuid,
    url: optional(WebhookUrl),
    name: optional(Label),
    isActive: optional(Flag),
  }),
  result: Type.Object({ endpointId: Type.String(), webhookEndpoint: WebhookEndpointView }),
  check: ({ url }) => (url === undefined ? undefined : checkWebhookUrl(url)),
  needs: ({ endpointId }) => [webhookEndpoint(endpointId)],

  run({ organization: { organizationId, webhookEndpoints }, parameters: { endpointId, ...given } }) {
    const former = webhookEndpoints.get(endpointId)
    const { url = former.url, name = former.name, isActive = former.isActive } = given
    const endpoint = webhookEndpoints.put({ ...former, url, name, isActive })
    return { endpointId, webhookEndpoint: webhookEndpointView(endpoint, organizationId) }
  },
})
