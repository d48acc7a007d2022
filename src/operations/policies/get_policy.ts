import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { policy } from '../../contract/needs.ts'
import { PolicyView, policyView } from './shared/policies.ts'

export default defineQuery({
  name: 'get_policy',
  summary: 'Returns one policy.',
  parameters: fields({ organizationId: Uuid, policyId: Uuid }),
  result: Type.Object({ policy: PolicyView }),
  needs: ({ policyId }) => [policy(policyId)],

  run({ organization, parameters: { policyId } }) {
    return { policy: policyView(organization.policies.get(policyId)) }
  },
})
