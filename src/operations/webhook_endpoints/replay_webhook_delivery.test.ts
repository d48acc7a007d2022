import { expect, test } from 'vitest'
import { absentId, expectRefused, newUser, startOrganization } from '../../../test/support/organization.ts'

const { server, organizationId, found, done, submit, anotherUser } = await startOrganization()

test('only an event that was given up is sent again', async () => {
  const { endpointId } = await done('create_webhook_endpoint', { url: 'https://hooks.example.com/', name: 'ours' })
  await done('create_users', { users: [newUser()] })
  const waiting = { endpointId, status: 'WEBHOOK_DELIVERY_STATUS_WAITING' }
  const [{ deliveryId }] = (await found('list_webhook_deliveries', waiting)).deliveries
  expectRefused(await submit('replay_webhook_delivery', { endpointId, deliveryId }), 404, 'the endpoint has no event')
  expectRefused(await submit('replay_webhook_delivery', { endpointId, deliveryId: absentId }), 404)
  const end = {
    queue: 'webhooks',
    change: 'end',
    organizationId,
    messageId: deliveryId,
    endedAtMs: 1,
    reason: 'refused (410)',
  } as const
  await server.store.changeQueue(end)
  const { apiKey } = await anotherUser()
  expectRefused(await submit('replay_webhook_delivery', { endpointId, deliveryId }, { apiKey }), 403)
  const again = await done('replay_webhook_delivery', { endpointId, deliveryId })
  const deliveries: { deliveryId: string }[] = (await found('list_webhook_deliveries', waiting)).deliveries
  expect(deliveries.map((each) => each.deliveryId)).toContain(again.deliveryId)
  expect((await found('list_webhook_deliveries', { endpointId })).deliveries).toEqual([])
})

test('what was for the feature is not sent while the feature is unset', async () => {
  const endpointId = 'FEATURE_NAME_WEBHOOK'
  expectRefused(await submit('replay_webhook_delivery', { endpointId, deliveryId: absentId }), 404)
})
