import { expect, test } from 'vitest'
import { expectRefused, startOrganization, uuid } from '../../../test/support/organization.ts'

const { submit, done, organizationId, anotherUser } = await startOrganization({ limits: { webhookEndpointsMax: 2 } })
const [url, name] = ['https://hooks.example.com/claviger?token=1', 'ours']

test('an endpoint is made, by default for the activities', async () => {
  const made = await done('create_webhook_endpoint', { url, name })
  expect(made).toStrictEqual({
    endpointId: uuid,
    webhookEndpoint: {
      ...{ endpointId: made.endpointId, organizationId, url, name, isActive: true },
      subscriptions: [{ eventType: 'ACTIVITY_UPDATES' }],
    },
  })
})

test('addresses, names and subscriptions that cannot be are refused', async () => {
  for (const [change, text] of [
    [{ url: 'http://hooks.example.com' }, 'parameters.url must be an https:// address'],
    [{ url: 'http://127.0.0.1:8080' }, 'parameters.url must be https, except under `dev`'],
    [{ url: 'https://ada:secret@hooks.example.com' }, 'without user, password and fragment'],
    [{ url: `https://a.example/${'x'.repeat(2_048)}` }, 'of at most 2048 characters'],
    [{ name: '' }, 'parameters.name must be a text of 1 to 256 characters'],
    [{ subscriptions: [] }, 'parameters.subscriptions must be a list of 1 to 4'],
    [{ subscriptions: [{ eventType: 'OTHER' }] }, 'subscriptions[0].eventType must be one of ACTIVITY_UPDATES'],
    [{ subscriptions: [{ eventType: 'BALANCE_CONFIRMED_UPDATES' }] }, 'needs a connection to a chain'],
    [{ subscriptions: [{ eventType: 'ACTIVITY_UPDATES' }, { eventType: 'ACTIVITY_UPDATES' }] }, 'has once'],
    [{ subscriptions: [{ eventType: 'ACTIVITY_UPDATES', filtersJson: '{}' }] }, 'events are not filtered'],
  ] as const) {
    expectRefused(await submit('create_webhook_endpoint', { url, name, ...change }), 400, text)
  }
})

test('a user whom no policy allows makes none, and there is a limit', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('create_webhook_endpoint', { url, name }, { apiKey }), 403)
  await done('create_webhook_endpoint', { url, name })
  expectRefused(await submit('create_webhook_endpoint', { url, name }), 429, 'at most 2 webhook endpoints')
})

test('for development an address of this machine may be plain HTTP, in both forms of an endpoint', async () => {
  const development = await startOrganization({ loopbackHttp: true })
  const [first, second] = ['http://127.0.0.1:8080/hook', 'http://localhost:8080/hook']
  const { endpointId, webhookEndpoint } = await development.done('create_webhook_endpoint', { url: first, name })
  expect(webhookEndpoint.url).toBe(first)
  const updated = await development.done('update_webhook_endpoint', { endpointId, url: second })
  expect(updated.webhookEndpoint.url).toBe(second)
  const feature = { name: 'FEATURE_NAME_WEBHOOK', value: first }
  await development.done('set_organization_feature', feature)
  expectRefused(await submit('set_organization_feature', feature), 400, 'parameters.value must be https, except under')
})
