import { expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { rootUserId, query, found, submit } = await startOrganization()
const activityId = (await submit('update_organization_name', { organizationName: 'New' })).body.activity.id

test('an activity that waits for no proof has no status', async () => {
  expect(await found('get_mfa_status', { activityId })).toStrictEqual({ mfaStatuses: [] })
  expect(await found('get_mfa_status', { activityId, userId: rootUserId })).toStrictEqual({ mfaStatuses: [] })
})

test('an activity or user that does not exist is 404, an id that is none is 400', async () => {
  for (const [parameters, status, text] of [
    [{ activityId: absentId }, 404, `there is no activity ${absentId} in this organization`],
    [{ activityId, userId: absentId }, 404, `there is no user ${absentId} in this organization`],
    [{ activityId: 'last' }, 400, 'activityId must be a UUID'],
    [{ activityId, userId: 'ada' }, 400, 'userId must be a UUID'],
  ] as const) {
    expectRefused(await query('get_mfa_status', parameters), status, text)
  }
})
