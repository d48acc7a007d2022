import { expect, test } from 'vitest'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { submit, found, done, anotherUser } = await startOrganization()
const [mail, texts] = [{ name: 'FEATURE_NAME_EMAIL_AUTH', value: 'true' }, { name: 'FEATURE_NAME_SMS_AUTH' }]
await done('set_organization_feature', mail)
await done('set_organization_feature', texts)

test('a user outside of the root quorum may not remove a feature', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('remove_organization_feature', texts, { apiKey }), 403)
})

test('one feature is removed, the others stay', async () => {
  expect(await done('remove_organization_feature', texts)).toStrictEqual({ features: [mail] })
  expect((await found('get_organization_configs')).configs.features).toStrictEqual([mail])
  const text = `the feature ${texts.name} is not set in this organization`
  expectRefused(await submit('remove_organization_feature', texts), 404, text)
  expectRefused(await submit('remove_organization_feature', { name: 'X' }), 400, 'parameters.name must be one of')
})

test('a removed feature can be set again', async () => {
  expect(await done('set_organization_feature', texts)).toStrictEqual({ features: [mail, texts] })
})
