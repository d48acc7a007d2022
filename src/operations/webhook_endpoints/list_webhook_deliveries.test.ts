import { expect, test } from 'vitest'
import { absentId, expectRefused, newUser, startOrganization } from '../../../test/support/organization.ts'

const { found, done, query, submit } = await startOrganization()
const status = 'WEBHOOK_DELIVERY_STATUS_WAITING'

test('events that wait are listed newest first, page by page', async () => {
  const { endpointId } = await done('create_webhook_endpoint', { url: 'https://hooks.example.com/', name: 'ours' })
  const ids: string[] = []
  for (const userName of ['a', 'b', 'c']) {
    ids.unshift((await submit('create_users', { users: [newUser({ userName })] })).body.activity.id)
  }
  const { deliveries } = await found('list_webhook_deliveries', { endpointId, status })
  expect(deliveries.map(({ activityId }: { activityId: string }) => activityId)).toEqual(ids)
  expect(deliveries[0]).toMatchObject({ endpointId, status, attempts: 0 })
  const after = deliveries[0].deliveryId
  const page = await found('list_webhook_deliveries', { endpointId, status, paginationOptions: { limit: '1', after } })
  expect(page.deliveries).toStrictEqual([deliveries[1]])
  expect(await found('list_webhook_deliveries', { endpointId })).toStrictEqual({ deliveries: [] })
})

test('an endpoint that does not exist is 404, and the feature may be unset', async () => {
  expectRefused(await query('list_webhook_deliveries', { endpointId: absentId }), 404, 'no webhook endpoint')
  const feature = { endpointId: 'FEATURE_NAME_WEBHOOK' }
  expect(await found('list_webhook_deliveries', feature)).toStrictEqual({ deliveries: [] })
  expectRefused(await query('list_webhook_deliveries', { endpointId: 'other' }), 400, 'endpointId must be the id of')
})
