import { expect, test } from 'vitest'
import { startOrganization } from '../../../test/support/organization.ts'

const { rootUserId, found, done } = await startOrganization()

test('a new organization has no features and its one root user as quorum', async () => {
  const quorum = { threshold: 1, userIds: [rootUserId] }
  expect(await found('get_organization_configs')).toStrictEqual({ configs: { features: [], quorum } })
})

test('features are shown with their values, in order of creation', async () => {
  const features = [{ name: 'FEATURE_NAME_SMS_AUTH' }, { name: 'FEATURE_NAME_EMAIL_AUTH', value: 'true' }]
  for (const feature of features) await done('set_organization_feature', feature)
  expect((await found('get_organization_configs')).configs.features).toStrictEqual(features)
})
