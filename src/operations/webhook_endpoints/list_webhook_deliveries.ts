import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, optional, PageLimit, pageItemsDefault, Uuid } from '../../contract/fields/fields.ts'
import {
  DeliveryStatus,
  DeliveryView,
  deliveryView,
  EndpointName,
  endpointIdOf,
  endpointNeed,
} from './shared/webhook_deliveries.ts'

export default defineQuery({
  name: 'list_webhook_deliveries',
  isOwn: true,
  summary: 'Lists the events for an endpoint that could not be delivered, or those that wait, newest first.',
  parameters: fields({
    organizationId: Uuid,
    endpointId: EndpointName,
    status: optional(DeliveryStatus),
    paginationOptions: optional(fields({ limit: optional(PageLimit), after: optional(Uuid) })),
  }),
  result: Type.Object({ deliveries: Type.Array(DeliveryView) }),
  needs: ({ endpointId, status, paginationOptions: { limit, after } = {} }) => [
    endpointNeed(endpointId),
    {
      need: 'deliveries',
      endpointId: endpointIdOf(endpointId),
      isGivenUp: status !== 'WEBHOOK_DELIVERY_STATUS_WAITING',
      page: {
        limit: limit === undefined ? pageItemsDefault : Number(limit),
        ...(after === undefined ? {} : { after }),
      },
    },
  ],

  run({ organization }) {
    return { deliveries: organization.deliveries().map(deliveryView) }
  },
})
