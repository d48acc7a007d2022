import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, list, policiesPerRequestMax, Uuid } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { each } from '../../contract/needs.ts'
import { deletedPolicies } from './shared/policy_rows.ts'

export default defineActivity({
  name: 'delete_policies',
  summary: 'Deletes several policies: all of them or none.',
  policy: { resource: 'POLICY', action: 'DELETE' },
  parameters: fields({ policyIds: list(Uuid, { itemsMin: 1, itemsMax: policiesPerRequestMax }) }),
  result: Type.Object({ policyIds: Type.Array(Type.String()) }),
  needs: ({ policyIds }) => each('policy', policyIds, 'parameters.policyIds'),
  explain: ({ parameters: { policyIds }, now }) => deletedPolicies('delete_policies', distinctIds(policyIds), now),

  run({ organization, parameters }) {
    const policyIds = distinctIds(parameters.policyIds)
    for (const policyId of policyIds) organization.policies.remove(policyId)
    return { policyIds }
  },
})
