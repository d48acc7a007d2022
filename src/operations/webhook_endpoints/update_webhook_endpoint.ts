import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent, flagChange, textChange } from '../../contract/explanation/changes.ts'
import { row } from '../../contract/explanation/shown_values.ts'
import { Flag, fields, Label, optional, Uuid } from '../../contract/fields/fields.ts'
import { webhookEndpoint } from '../../contract/needs.ts'
import type { WebhookEndpoint } from '../../contract/records/records.ts'
import { sentToWarnings } from './shared/webhook_changes.ts'
import {
  checkWebhookUrl,
  requireHttps,
  WebhookEndpointView,
  WebhookUrl,
  webhookEndpointView,
} from './shared/webhook_endpoints.ts'

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
  explain: ({ parameters: { endpointId, ...given }, now }) => {
    const { url, name, isActive } = given
    const endpoint = now.find('webhook_endpoint', endpointId)
    return changesContent(now, {
      code: 'update_webhook_endpoint',
      subject: [now.named(endpointId)],
      warnings: now.isBefore && endpoint !== undefined ? sentToWarnings(endpoint, changed(endpoint, given)) : [],
      rows: [row('webhook_endpoint', now.named(endpointId))],
      changes: {
        url: textChange(endpoint?.url, url),
        name: textChange(endpoint?.name, name),
        isActive: flagChange({ from: endpoint?.isActive, to: isActive }),
      },
    })
  },

  run({ organization: { organizationId, webhookEndpoints }, parameters: { endpointId, ...given }, loopbackHttp }) {
    if (given.url !== undefined) requireHttps(given.url, { loopbackHttp })
    const former = webhookEndpoints.get(endpointId)
    const endpoint = webhookEndpoints.put(changed(former, given))
    return { endpointId, webhookEndpoint: webhookEndpointView(endpoint, organizationId) }
  },
})

type Changes = Partial<Pick<WebhookEndpoint, 'url' | 'name' | 'isActive'>>

function changed(
  former: WebhookEndpoint,
  { url = former.url, name = former.name, isActive = former.isActive }: Changes,
): WebhookEndpoint {
  return { ...former, url, name, isActive }
}
