import { expect, test } from 'vitest'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { done, submit, found } = await startOrganization()

test('ends the auth proxy, once', async () => {
  expectRefused(await submit('disable_auth_proxy', {}), 404, 'enable_auth_proxy')
  await done('enable_auth_proxy', { operations: ['account'], allowedOrigins: ['*'], appName: 'Acme' })
  expect(await done('disable_auth_proxy', {})).toEqual({})
  expect(await found('get_auth_proxy_config')).toEqual({})
  expectRefused(await submit('disable_auth_proxy', {}), 404, 'enable_auth_proxy')
})
