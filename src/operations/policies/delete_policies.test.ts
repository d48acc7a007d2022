import { describe, expect, test } from 'vitest'
import { absentId, expectRefused, newPolicy, repeated, startOrganization } from '../../../test/support/organization.ts'

const { submit, done, found, anotherUser, server, rootUserId } = await startOrganization()
const create = async (...names: string[]): Promise<string[]> =>
  (await done('create_policies', { policies: names.map((policyName) => newPolicy({ policyName })) })).policyIds
const idsLeft = async () =>
  (await found('list_policies')).policies.map(({ policyId }: { policyId: string }) => policyId)

test('all named policies are deleted; an id given twice counts once', async () => {
  const [first = '', second = '', third = ''] = await create('first', 'second', 'third')
  const policyIds = [third, first.toUpperCase(), first]
  expect(await done('delete_policies', { policyIds })).toStrictEqual({ policyIds: [third, first] })
  const left = await idsLeft()
  expect([first, second, third].map((policyId) => left.includes(policyId))).toEqual([false, true, false])
})

describe('if one deletion is refused, no policy is deleted', async () => {
  const [policyId = ''] = await create('kept')
  const other = await server.createOrganization()
  const ask = { organizationId: other.organizationId, apiKey: other.apiKey }
  const { policyId: foreignId } = await done('create_policy', newPolicy(), ask)
  test.each([
    ['no policy', [], 400, 'parameters.policyIds must be a list of 1 to 100'],
    ['101 policies', repeated(101, () => policyId), 400, 'parameters.policyIds must be a list of 1 to 100'],
    ['an unknown policy', [policyId, absentId], 404, `policyIds[1]: there is no policy ${absentId}`],
    ['a policy of another organization', [policyId, foreignId], 404, `policyIds[1]: there is no policy ${foreignId}`],
    ['the id of a user', [policyId, rootUserId], 404, `policyIds[1]: there is no policy ${rootUserId}`],
  ])('%s', async (_, policyIds, status, text) => {
    expectRefused(await submit('delete_policies', { policyIds }), status, text)
    expect(await idsLeft()).toContain(policyId)
  })

  test('a request by a user outside of the root quorum', async () => {
    const { apiKey } = await anotherUser()
    expectRefused(await submit('delete_policies', { policyIds: [policyId] }, { apiKey }), 403)
  })
})
