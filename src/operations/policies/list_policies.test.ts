import { expect, test } from 'vitest'
import { newPolicy, startOrganization } from '../../../test/support/organization.ts'

const { found, done, subOrganization } = await startOrganization()

test('policies are listed in order of creation, each as `get_policy` shows it', async () => {
  expect(await found('list_policies')).toStrictEqual({ policies: [] })
  const policies = []
  for (const policyName of ['b', 'a', 'c']) {
    const { policyId } = await done('create_policy', newPolicy({ policyName, time: 'true' }))
    policies.push((await found('get_policy', { policyId })).policy)
  }
  expect(await found('list_policies')).toStrictEqual({ policies })
})

test('a sub-organization has its own policies, which the parent reads', async () => {
  const { organizationId, apiKey } = await subOrganization()
  await done('create_policy', newPolicy({ policyName: 'of the sub' }), { organizationId, apiKey })
  const names = async (ask: object) =>
    (await found('list_policies', {}, ask)).policies.map(({ policyName }: { policyName: string }) => policyName)
  expect(await names({ organizationId })).toEqual(['of the sub'])
  expect(await names({})).not.toContain('of the sub')
})
