import { expect, test } from 'vitest'
import { absentId, expectRefused, newMfaPolicy, startOrganization } from '../../../test/support/organization.ts'

const { rootUserId, query, found, submit, done, anotherUser } = await startOrganization()
const activityId = (await submit('update_organization_name', { organizationName: 'New' })).body.activity.id

test('an activity that waits for no MFA step has no status', async () => {
  expect(await found('get_mfa_status', { activityId })).toStrictEqual({ mfaStatuses: [] })
  expect(await found('get_mfa_status', { activityId, userId: rootUserId })).toStrictEqual({ mfaStatuses: [] })
})

test('the status names the user and the policy of a due step, and the steps already taken', async () => {
  const { userId, apiKey } = await anotherUser()
  const types = ['AUTHENTICATION_TYPE_API_KEY', 'AUTHENTICATION_TYPE_PASSKEY']
  const requiredMethods = types.map((type) => ({ any: [{ type }] }))
  const policy = newMfaPolicy({ condition: 'true', requiredAuthenticationMethods: requiredMethods })
  const { mfaPolicyId } = await done('create_mfa_policy', { userId, ...policy })
  const [{ apiKeyId: id }] = (await found('get_api_keys', { userId })).apiKeys
  const { body } = await submit('delete_api_keys', { userId, apiKeyIds: [id] }, { apiKey })
  const satisfiedMethods = [{ type: types[0], id }]
  const mfaStatuses = [{ mfaPolicyId, userId, satisfied: false, satisfiedMethods, requiredMethods }]
  const asked = { activityId: body.activity.id.toUpperCase() }
  expect(await found('get_mfa_status', asked)).toStrictEqual({ mfaStatuses })
  expect(await found('get_mfa_status', { ...asked, userId: userId.toUpperCase() })).toStrictEqual({ mfaStatuses })
  expect(await found('get_mfa_status', { ...asked, userId: rootUserId })).toStrictEqual({ mfaStatuses: [] })
})

test('an unknown activity or user is 404', async () => {
  for (const [parameters, status, text] of [
    [{ activityId: absentId }, 404, `there is no activity ${absentId} in this organization`],
    [{ activityId, userId: absentId }, 404, `there is no user ${absentId} in this organization`],
  ] as const) {
    expectRefused(await query('get_mfa_status', parameters), status, text)
  }
})
