import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { policy } from '../../contract/needs.ts'
import { deletedPolicies } from './shared/policy_rows.ts'

export default defineActivity({
  name: 'delete_policy',
  summary: 'Deletes a policy.',
  policy: { resource: 'POLICY', action: 'DELETE' },
  parameters: fields({ policyId: Uuid }),
  result: Type.Object({ policyId: Type.String() }),
  needs: ({ policyId }) => [policy(policyId)],
  explain: ({ parameters: { policyId }, now }) => deletedPolicies('delete_policy', [policyId], now),

  run({ organization, parameters: { policyId } }) {
    organization.policies.remove(policyId)
    return { policyId }
  },
})
