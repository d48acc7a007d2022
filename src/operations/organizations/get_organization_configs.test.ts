import { expect, test } from 'vitest'
import { startOrganization } from '../../../test/support/organization.ts'

const waysIn = [
  'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY',
  'FEATURE_NAME_EMAIL_RECOVERY',
  'FEATURE_NAME_SMS_AUTH',
  'FEATURE_NAME_OTP_EMAIL_AUTH',
]
const { rootUserId, found, done } = await startOrganization()

test('a new organization has the ways in as features and its one root user as quorum', async () => {
  const quorum = { threshold: 1, userIds: [rootUserId] }
  const features = waysIn.map((name) => ({ name }))
  expect(await found('get_organization_configs')).toStrictEqual({ configs: { features, quorum } })
})

test('features that are on are shown with their values, the ways in first', async () => {
  const origins = { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value: '*' }
  const mail = { name: 'FEATURE_NAME_OTP_EMAIL_AUTH', value: 'true' }
  for (const feature of [origins, mail]) await done('set_organization_feature', feature)
  await done('remove_organization_feature', { name: 'FEATURE_NAME_SMS_AUTH' })
  const [rootRecovery, recovery] = waysIn.map((name) => ({ name }))
  const features = [rootRecovery, recovery, mail, origins]
  expect((await found('get_organization_configs')).configs.features).toStrictEqual(features)
})
