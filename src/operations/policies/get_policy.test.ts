import { expect, test } from 'vitest'
import { absentId, expectRefused, newPolicy, startOrganization, timestamp } from '../../../test/support/organization.ts'

const { server, query, found, done, anotherUser } = await startOrganization()
const given = newPolicy({ policyName: 'bare' })
const { policyId } = await done('create_policy', given)

test('a policy is shown with every field; an absent expression is empty, an absent time is left out', async () => {
  const policy = { ...given, policyId, condition: '', consensus: '', createdAt: timestamp, updatedAt: timestamp }
  expect(await found('get_policy', { policyId: policyId.toUpperCase() })).toStrictEqual({ policy })
  const { apiKey } = await anotherUser()
  expect(await found('get_policy', { policyId }, { apiKey })).toStrictEqual({ policy })
})

test('an unknown or foreign id is 404', async () => {
  const other = await server.createOrganization()
  const ask = { organizationId: other.organizationId, apiKey: other.apiKey }
  const text = (id: string) => `there is no policy ${id} in this organization`
  expectRefused(await query('get_policy', { policyId }, ask), 404, text(policyId))
  expectRefused(await query('get_policy', { policyId: absentId }), 404, text(absentId))
})
