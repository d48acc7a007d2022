import { expect, test } from 'vitest'
import { absentId, expectRefused, newMfaPolicy, startOrganization } from '../../../test/support/organization.ts'

const { server, rootUserId: userId, submit, query, found, done, anotherUser } = await startOrganization()
const create = async (owner = userId) =>
  (await done('create_mfa_policy', { userId: owner, ...newMfaPolicy() })).mfaPolicyId

test('one policy is deleted, the others stay', async () => {
  const [first, second] = [await create(), await create()]
  const result = await done('delete_mfa_policy', { userId, mfaPolicyId: first.toUpperCase() })
  expect(result).toStrictEqual({ mfaPolicyId: first })
  expect((await found('get_mfa_policies', { userId })).mfaPolicies).toMatchObject([{ mfaPolicyId: second }])
  const text = `there is no mfa policy ${first} of this user`
  expectRefused(await query('get_mfa_policy', { userId, mfaPolicyId: first }), 404, text)
  expectRefused(await submit('delete_mfa_policy', { userId, mfaPolicyId: first }), 404, text)
})

test('invalid deletions are refused', async () => {
  const other = await anotherUser()
  const mfaPolicyId = await create(other.userId)
  const elsewhere = await server.createOrganization()
  for (const [change, status, text] of [
    [{ userId }, 404, `there is no mfa policy ${mfaPolicyId} of this user`],
    [{ userId: elsewhere.userId }, 404, `there is no user ${elsewhere.userId} in this organization`],
    [{ mfaPolicyId: absentId }, 404, `there is no mfa policy ${absentId} of this user`],
  ] as const) {
    expectRefused(await submit('delete_mfa_policy', { userId: other.userId, mfaPolicyId, ...change }), status, text)
  }
  const own = { userId: other.userId, mfaPolicyId }
  expectRefused(await submit('delete_mfa_policy', own, { apiKey: other.apiKey }), 403)
  expect((await found('get_mfa_policies', { userId: other.userId })).mfaPolicies).toHaveLength(1)
})
