import { expect, test } from 'vitest'
import { absentId, expectRefused, newPolicy, startOrganization } from '../../../test/support/organization.ts'

const { submit, done, found, anotherUser } = await startOrganization()
const url = 'https://hooks.example.com/'
const { endpointId, webhookEndpoint } = await done('create_webhook_endpoint', { url, name: 'ours' })

test('each member is changed alone, and the others stay', async () => {
  for (const change of [{ url: 'https://hooks.example.com/other' }, { name: 'theirs' }, { isActive: false }, {}]) {
    Object.assign(webhookEndpoint, change)
    const changed = await done('update_webhook_endpoint', { endpointId, ...change })
    expect(changed).toStrictEqual({ endpointId, webhookEndpoint })
    expect(await found('list_webhook_endpoints')).toStrictEqual({ webhookEndpoints: [webhookEndpoint] })
  }
  for (const url of ['http://a.example', 'http://127.0.0.1']) {
    expectRefused(await submit('update_webhook_endpoint', { endpointId, url }), 400, 'parameters.url')
  }
  expectRefused(await submit('update_webhook_endpoint', { endpointId: absentId }), 404, 'no webhook endpoint')
})

test('a policy names the endpoint that may be changed', async () => {
  const { apiKey, userId } = await anotherUser()
  const other = await done('create_webhook_endpoint', { url, name: 'another' })
  const condition = `activity.resource == 'WEBHOOK_ENDPOINT' && activity.params.endpoint_id == '${endpointId}'`
  const consensus = `approvers.any(user, user.id == '${userId}')`
  await done('create_policy', newPolicy({ condition, consensus, effect: 'EFFECT_ALLOW' }))
  await done('update_webhook_endpoint', { endpointId, name: 'by policy' }, { apiKey })
  expectRefused(await submit('update_webhook_endpoint', { endpointId: other.endpointId }, { apiKey }), 403)
})
