import { expect, test } from 'vitest'
import { absentId, expectRefused, newPolicy, startOrganization } from '../../../test/support/organization.ts'

const { submit, query, done, found, anotherUser, server } = await startOrganization()
const create = async (policyName: string) => (await done('create_policy', newPolicy({ policyName }))).policyId

test('one policy is deleted, the others stay', async () => {
  const [first, second] = [await create('first'), await create('second')]
  expect(await done('delete_policy', { policyId: first.toUpperCase() })).toStrictEqual({ policyId: first })
  expect((await found('list_policies')).policies).toMatchObject([{ policyId: second }])
  const text = `there is no policy ${first} in this organization`
  expectRefused(await query('get_policy', { policyId: first }), 404, text)
  expectRefused(await submit('delete_policy', { policyId: first }), 404, text)
})

test('invalid deletions are refused', async () => {
  const policyId = await create('kept')
  const { apiKey } = await anotherUser()
  expectRefused(await submit('delete_policy', { policyId }, { apiKey }), 403)
  expectRefused(await submit('delete_policy', { policyId: absentId }), 404, `there is no policy ${absentId}`)
  const other = await server.createOrganization()
  const ask = { organizationId: other.organizationId, apiKey: other.apiKey }
  expectRefused(await submit('delete_policy', { policyId }, ask), 404, `there is no policy ${policyId}`)
  expect((await found('get_policy', { policyId })).policy).toMatchObject({ policyName: 'kept' })
})
