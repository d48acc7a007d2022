import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import { row } from '../../contract/explanation/shown_values.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { webhookEndpoint } from '../../contract/needs.ts'
import { endpointRows, sentToWarnings } from './shared/webhook_changes.ts'

export default defineActivity({
  name: 'delete_webhook_endpoint',
  summary: 'Deletes an endpoint. It gets nothing more, not even the events that wait.',
  policy: { resource: 'WEBHOOK_ENDPOINT', action: 'DELETE' },
  parameters: fields({ endpointId: Uuid }),
  result: Type.Object({ endpointId: Type.String() }),
  needs: ({ endpointId }) => [webhookEndpoint(endpointId)],
  explain: ({ parameters: { endpointId }, now }) => {
    const endpoint = now.find('webhook_endpoint', endpointId)
    return changesContent(now, {
      code: 'delete_webhook_endpoint',
      subject: [now.named(endpointId)],
      warnings: now.isBefore ? sentToWarnings(endpoint, undefined) : [],
      rows: [row('deleted', now.named(endpointId)), ...(endpoint === undefined ? [] : endpointRows(endpoint))],
    })
  },

  run({ organization: { webhookEndpoints }, parameters: { endpointId } }) {
    webhookEndpoints.remove(endpointId)
    return { endpointId }
  },
})
