import { expect, test } from 'vitest'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { submit, done, found, anotherUser } = await startOrganization()

test('an endpoint is deleted once', async () => {
  const { endpointId } = await done('create_webhook_endpoint', { url: 'https://hooks.example.com/', name: 'ours' })
  const { apiKey } = await anotherUser()
  expectRefused(await submit('delete_webhook_endpoint', { endpointId }, { apiKey }), 403)
  expect(await done('delete_webhook_endpoint', { endpointId })).toStrictEqual({ endpointId })
  expect(await found('list_webhook_endpoints')).toStrictEqual({ webhookEndpoints: [] })
  expectRefused(await submit('delete_webhook_endpoint', { endpointId }), 404, 'there is no webhook endpoint')
})
