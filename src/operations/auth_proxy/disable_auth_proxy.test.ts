import { expect, test } from 'vitest'
import { proxyOf } from '../../../test/support/auth_proxy.ts'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'

const organization = await startOrganization()
const { done, submit, found } = organization
const { ask } = proxyOf(organization)

const proxy = { operations: ['account'], allowedOrigins: ['*'], appName: 'Acme' }

test('has nothing to end without one', async () => {
  expectRefused(await submit('disable_auth_proxy', {}), 404, 'enable_auth_proxy')
})

test.each([true, false])('ends the auth proxy, once: sessionsMayChangeCredentials %s', async (allows) => {
  const settings = { ...proxy, sessionsMayChangeCredentials: allows }
  await done('enable_auth_proxy', settings)
  expect(await done('disable_auth_proxy', {})).toEqual({})
  expect(await found('get_auth_proxy_config')).toEqual({})
  expectRefused(await submit('disable_auth_proxy', {}), 404, 'enable_auth_proxy')
  expectRefused(await submit('update_auth_proxy_config', settings), 404, 'enable_auth_proxy')
  const asks = { filterType: 'EMAIL', filterValue: 'any@example.org' }
  const refused = await ask('account', asks)
  expectRefused(refused, 404, 'no organization has an auth proxy')
  await done('enable_auth_proxy', proxy)
  expect((await found('get_auth_proxy_config')).config).toMatchObject({
    ...proxy,
    sessionsMayChangeCredentials: true,
  })
  await done('disable_auth_proxy', {})
})
