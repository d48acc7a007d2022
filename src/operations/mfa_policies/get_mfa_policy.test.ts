import { expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newMfaPolicy,
  startOrganization,
  timestamp,
} from '../../../test/support/organization.ts'

const { rootUserId: userId, query, found, done, anotherUser } = await startOrganization()

test('a policy is shown with every field that it has', async () => {
  const given = newMfaPolicy()
  const { mfaPolicyId } = await done('create_mfa_policy', { userId, ...given })
  const shown = { mfaPolicy: { ...given, mfaPolicyId, createdAt: timestamp, updatedAt: timestamp } }
  expect(await found('get_mfa_policy', { userId, mfaPolicyId: mfaPolicyId.toUpperCase() })).toStrictEqual(shown)
})

test('a policy of another user is not found', async () => {
  const other = await anotherUser()
  const { mfaPolicyId } = await done('create_mfa_policy', { userId: other.userId, ...newMfaPolicy() })
  for (const [change, status, text] of [
    [{ userId }, 404, `there is no mfa policy ${mfaPolicyId} of this user`],
    [{ userId: absentId }, 404, `there is no user ${absentId} in this organization`],
    [{ mfaPolicyId: absentId }, 404, `there is no mfa policy ${absentId} of this user`],
  ] as const) {
    expectRefused(await query('get_mfa_policy', { userId: other.userId, mfaPolicyId, ...change }), status, text)
  }
})
