import { expect, test } from 'vitest'
import { startOrganization, timestamp } from '../../../test/support/organization.ts'

const { organizationId, done, found } = await startOrganization()

test('shows all that is allowed, and nothing before', async () => {
  expect(await found('get_auth_proxy_config')).toEqual({})
  const given = {
    ...{ operations: ['account', 'otp_init_v2'], allowedOrigins: ['*'], appName: 'Acme', otpLength: 7 },
    ...{ sessionExpirationSeconds: '60', otpExpirationSeconds: '30', otpAlphanumeric: false },
    ...{ oauthRedirectUrl: 'http://localhost:3000/in', sessionsMayChangeCredentials: false },
    oauthProviders: [
      { providerName: 'One', issuer: 'https://a.example', clientId: 'x', authorizationUrl: 'https://a.example/x' },
    ],
  }
  await done('enable_auth_proxy', given)
  const { config } = await found('get_auth_proxy_config')
  expect(config).toEqual({
    configId: organizationId,
    organizationId,
    ...given,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
})
