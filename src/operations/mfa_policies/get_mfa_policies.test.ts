import { expect, test } from 'vitest'
import { absentId, expectRefused, newMfaPolicy, startOrganization } from '../../../test/support/organization.ts'

const { rootUserId: userId, query, found, done, anotherUser } = await startOrganization()

test('the policies of one user are listed in order of creation, each as `get_mfa_policy` shows it', async () => {
  const mfaPolicies = []
  for (const order of [2, 1, 3]) {
    const { mfaPolicyId } = await done('create_mfa_policy', { userId, ...newMfaPolicy({ order }) })
    mfaPolicies.push((await found('get_mfa_policy', { userId, mfaPolicyId })).mfaPolicy)
  }
  expect(await found('get_mfa_policies', { userId })).toStrictEqual({ mfaPolicies })
  const other = await anotherUser()
  expect(await found('get_mfa_policies', { userId: other.userId })).toStrictEqual({ mfaPolicies: [] })
})

test('an unknown user is 404', async () => {
  expectRefused(await query('get_mfa_policies', { userId: absentId }), 404, `there is no user ${absentId}`)
})
