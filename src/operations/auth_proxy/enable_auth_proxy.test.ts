import { expect, test } from 'vitest'
import {
  expectRefused,
  newPolicy,
  organizationOf,
  type Parameters,
  startOrganization,
} from '../../../test/support/organization.ts'

const organization = await startOrganization()
const { organizationId, done, submit, found, anotherUser } = organization
const origin = 'https://app.example.com'
const given = (more: Parameters = {}) => ({
  operations: ['account'],
  allowedOrigins: [origin],
  appName: 'Acme',
  ...more,
})

test('what is left out has a default, and enabling again replaces all of it', async () => {
  const full = { sessionExpirationSeconds: '60', otpLength: 6, oauthRedirectUrl: 'https://app.example.com/in' }
  expect(await done('enable_auth_proxy', given(full))).toEqual({
    configId: organizationId,
    userId: '00000000-0000-0000-0000-000000000000',
  })
  expect((await found('get_auth_proxy_config')).config).toMatchObject(full)
  await done('enable_auth_proxy', given())
  const { createdAt: _, updatedAt: __, ...config } = (await found('get_auth_proxy_config')).config
  expect(config).toEqual({
    ...{ configId: organizationId, organizationId, operations: ['account'], allowedOrigins: [origin] },
    ...{ appName: 'Acme', sessionExpirationSeconds: '900', otpExpirationSeconds: '300', otpLength: 9 },
    ...{ otpAlphanumeric: true, oauthProviders: [], sessionsMayChangeCredentials: true },
  })
})

test('only the root quorum may, of an organization without a parent', async () => {
  const { apiKey } = await anotherUser('member')
  const everything = newPolicy({ policyName: 'all', effect: 'EFFECT_ALLOW', consensus: 'true', condition: 'true' })
  await done('create_policy', everything)
  expectRefused(await submit('enable_auth_proxy', given(), { apiKey }), 403)
  const child = organizationOf(organization, await organization.subOrganization())
  expectRefused(await child.submit('enable_auth_proxy', given()), 403, 'the one of its parent')
})

const issuer = {
  providerName: 'One',
  issuer: 'https://a.example',
  clientId: 'x',
  authorizationUrl: 'https://a.example/x',
}

test.each([
  [{ allowedOrigins: ['https://app.example.com/'] }, 'allowedOrigins[0]'],
  [{ allowedOrigins: ['http://app.example.com'] }, 'allowedOrigins[0]'],
  [{ allowedOrigins: ['https://*.example.com'] }, 'allowedOrigins[0]'],
  [{ allowedOrigins: [origin, origin] }, 'allowedOrigins[1]'],
  [{ allowedOrigins: [] }, 'allowedOrigins'],
  [{ allowedOrigins: Array.from({ length: 21 }, (_, each) => `https://a${each}.example`) }, 'allowedOrigins'],
  [{ operations: [] }, 'operations'],
  [{ operations: ['signup_v2'] }, 'operations[0]'],
  [{ operations: ['account', 'account'] }, 'operations[1]'],
  [{ oauthProviders: [issuer, issuer] }, 'oauthProviders[1].providerName'],
  [{ oauthProviders: [issuer, { ...issuer, providerName: 'ONE' }] }, 'oauthProviders[1].providerName'],
  [
    { oauthProviders: Array.from({ length: 11 }, (_, each) => ({ ...issuer, providerName: `${each}` })) },
    'oauthProviders',
  ],
  [{ oauthProviders: [{ ...issuer, authorizationUrl: 'https://a:b@a.example/x' }] }, 'authorizationUrl'],
  [{ oauthRedirectUrl: 'javascript:alert(1)' }, 'oauthRedirectUrl'],
  [{ sessionExpirationSeconds: '2592001' }, 'sessionExpirationSeconds'],
  [{ otpLength: 5 }, 'otpLength'],
])('%j is refused', async (more, field) => {
  expectRefused(await submit('enable_auth_proxy', given(more)), 400, field)
})

test('says from what to what it changes', async () => {
  await done('enable_auth_proxy', given())
  const pending = await done('update_auth_proxy_config', given({ allowedOrigins: ['*'] }))
  expect(pending).toEqual({})
  const { activities } = await found('list_activities', { paginationOptions: { limit: '1' } })
  const explained = JSON.stringify(await found('explain_activity', { activityId: activities[0].id }))
  expect(explained).toContain('"label":"allowedOrigins"')
  expect(explained).toContain('"text":"*"')
})
