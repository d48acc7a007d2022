import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { WebhookEndpointView, webhookEndpointView } from './shared/webhook_endpoints.ts'

export default defineQuery({
  name: 'list_webhook_endpoints',
  summary: 'Lists the webhook endpoints of the organization.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ webhookEndpoints: Type.Array(WebhookEndpointView) }),
  needs: () => [all('webhook_endpoint')],

  run({ organization: { organizationId, webhookEndpoints } }) {
    return { webhookEndpoints: webhookEndpoints.all().map((endpoint) => webhookEndpointView(endpoint, organizationId)) }
  },
})
