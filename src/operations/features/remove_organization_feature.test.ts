import { expect, test } from 'vitest'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { submit, found, done, anotherUser } = await startOrganization()
const [root, recovery] = [{ name: 'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY' }, { name: 'FEATURE_NAME_EMAIL_RECOVERY' }]
const [mail, texts] = [{ name: 'FEATURE_NAME_OTP_EMAIL_AUTH', value: 'true' }, { name: 'FEATURE_NAME_SMS_AUTH' }]
const origins = { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value: '*' }
await done('set_organization_feature', mail)
await done('set_organization_feature', origins)
const shown = async () => (await found('get_organization_configs')).configs.features

test('a user outside of the root quorum may not remove a feature', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('remove_organization_feature', texts, { apiKey }), 403)
})

test('one feature is removed, the others stay', async () => {
  for (const [{ name }, features] of [
    [texts, [root, recovery, mail, origins]],
    [origins, [root, recovery, mail]],
    [mail, [root, recovery]],
  ] as const) {
    expect(await done('remove_organization_feature', { name })).toStrictEqual({ features })
    expect(await shown()).toStrictEqual(features)
    const text = `the feature ${name} is not set in this organization`
    expectRefused(await submit('remove_organization_feature', { name }), 404, text)
  }
  expectRefused(await submit('remove_organization_feature', { name: 'X' }), 400, 'parameters.name must be one of')
})

test('a removed feature can be set again', async () => {
  expect(await done('set_organization_feature', texts)).toStrictEqual({ features: [root, recovery, texts] })
})
