import Type from 'typebox'
import { defineActivity } from '../define.ts'
import { fields, Uuid } from '../fields/fields.ts'
import { policy } from '../needs.ts'

export default defineActivity({
  name: 'delete_policy',
  summary: 'Deletes a policy.',
  policy: { resource: 'POLICY', action: 'DELETE' },
  parameters: fields({ policyId: Uuid }),
  result: Type.Object({ policyId: Type.String() }),
  needs: ({ policyId }) => [policy(policyId)],

  run({ organization, parameters: { policyId } }) {
    organization.policies.remove(policyId)
    return { policyId }
  },
})
