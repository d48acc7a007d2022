import Type from 'typebox'
import { defineActivity } from '../define.ts'
import { fields, Uuid } from '../fields/fields.ts'
import { webhookEndpoint } from '../needs.ts'

export default defineActivity({
  name: 'delete_webhook_endpoint',
  summary: 'Deletes an endpoint. It gets nothing more, not even the events that wait.',
  policy: { resource: 'WEBHOOK_ENDPOINT', action: 'DELETE' },
  parameters: fields({ endpointId: Uuid }),
  result: Type.Object({ endpointId: Type.String() }),
  needs: ({ endpointId }) => [webhookEndpoint(endpointId)],

  run({ organization: { webhookEndpoints }, parameters: { endpointId } }) {
    webhookEndpoints.remove(endpointId)
    return { endpointId }
  },
})
