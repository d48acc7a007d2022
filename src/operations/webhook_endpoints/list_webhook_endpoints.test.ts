import { expect, test } from 'vitest'
import { startOrganization } from '../../../test/support/organization.ts'

const { found, done, subOrganization } = await startOrganization()

test('endpoints are listed in order of creation, each organization with its own', async () => {
  const made = []
  for (const name of ['b', 'a']) {
    const { webhookEndpoint } = await done('create_webhook_endpoint', { url: 'https://hooks.example.com/', name })
    made.push(webhookEndpoint)
  }
  expect(await found('list_webhook_endpoints')).toStrictEqual({ webhookEndpoints: made })
  const { organizationId, apiKey } = await subOrganization()
  expect(await found('list_webhook_endpoints', {}, { organizationId, apiKey })).toStrictEqual({ webhookEndpoints: [] })
})
