import { describe, expect, test } from 'vitest'
import { absentId, expectRefused, newMfaPolicy, startOrganization } from '../../../test/support/organization.ts'

const { clock, rootUserId: userId, submit, found, done, anotherUser } = await startOrganization()
const { mfaPolicyId } = await done('create_mfa_policy', { userId, ...newMfaPolicy({ notes: 'a note' }) })
const shown = async () => (await found('get_mfa_policy', { userId, mfaPolicyId })).mfaPolicy

describe('given fields are changed, the others stay:', () => {
  for (const [name, value] of [
    ['mfaPolicyName', 'renamed'],
    ['condition', "activity.action == 'SIGN'"],
    ['requiredAuthenticationMethods', [{ any: [{ type: 'AUTHENTICATION_TYPE_OAUTH' }] }]],
    ['order', 7],
    ['notes', ''],
  ] as const) {
    test(name, async () => {
      const before = await shown()
      clock.nowMs += 1_000
      expect(await done('update_mfa_policy', { userId, mfaPolicyId, [name]: value })).toStrictEqual({ mfaPolicyId })
      const after = await shown()
      expect(after).toStrictEqual({ ...before, [name]: value, updatedAt: after.updatedAt })
      expect(after.updatedAt).not.toEqual(before.updatedAt)
    })
  }
})

test('the other policies of the user keep their places', async () => {
  const second = await done('create_mfa_policy', { userId, ...newMfaPolicy({ mfaPolicyName: 'second' }) })
  await done('update_mfa_policy', { userId, mfaPolicyId: mfaPolicyId.toUpperCase(), mfaPolicyName: 'first' })
  const { mfaPolicies } = await found('get_mfa_policies', { userId })
  expect(mfaPolicies).toMatchObject([
    { mfaPolicyId, mfaPolicyName: 'first' },
    { mfaPolicyId: second.mfaPolicyId, mfaPolicyName: 'second' },
  ])
})

test('invalid changes are refused', async () => {
  const other = await anotherUser()
  const before = await shown()
  for (const [change, status, text] of [
    [{ requiredAuthenticationMethods: [] }, 400, 'parameters.requiredAuthenticationMethods must be a list of 1 to 10'],
    [
      { requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_PASSKEY', id: absentId }] }] },
      404,
      'any[0].id',
    ],
    [
      { requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_EMAIL_OTP', id: absentId }] }] },
      400,
      'left out',
    ],
    [{ condition: '' }, 400, 'parameters.condition must be an expression'],
    [{ mfaPolicyId: absentId }, 404, `there is no mfa policy ${absentId} of this user`],
    [{ userId: other.userId }, 404, `there is no mfa policy ${mfaPolicyId} of this user`],
    [{ userId: absentId }, 404, `there is no user ${absentId} in this organization`],
  ] as const) {
    expectRefused(await submit('update_mfa_policy', { userId, mfaPolicyId, ...change }), status, text)
  }
  expectRefused(await submit('update_mfa_policy', { userId, mfaPolicyId, order: 1 }, { apiKey: other.apiKey }), 403)
  expect(await shown()).toStrictEqual(before)
})
