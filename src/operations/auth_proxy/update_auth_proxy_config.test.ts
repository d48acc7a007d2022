import { expect, test } from 'vitest'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { clock, done, submit, found } = await startOrganization()
const given = { operations: ['account'], allowedOrigins: ['*'], appName: 'Acme' }

test('replaces what is allowed, and keeps when it began', async () => {
  expectRefused(await submit('update_auth_proxy_config', given), 404, 'enable_auth_proxy')
  await done('enable_auth_proxy', { ...given, otpLength: 6 })
  const { createdAt } = (await found('get_auth_proxy_config')).config
  clock.nowMs += 5_000
  expect(await done('update_auth_proxy_config', { ...given, operations: ['otp_init_v2'] })).toEqual({})
  const { config } = await found('get_auth_proxy_config')
  expect(config).toMatchObject({ operations: ['otp_init_v2'], otpLength: 9, createdAt })
  expect(config.updatedAt).not.toEqual(createdAt)
})
