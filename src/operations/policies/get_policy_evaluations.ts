import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { activity } from '../../contract/needs.ts'
import { PolicyEvaluationView, policyEvaluationViews } from './shared/policies.ts'

export default defineQuery({
  name: 'get_policy_evaluations',
  summary: 'Lists the outcome of each policy at each vote on an activity.',
  parameters: fields({ organizationId: Uuid, activityId: Uuid }),
  result: Type.Object({ policyEvaluations: Type.Array(PolicyEvaluationView) }),
  needs: ({ activityId }) => [activity(activityId)],

  run({ organization, caller, parameters: { activityId } }) {
    return { policyEvaluations: policyEvaluationViews(organization.activities.get(activityId), caller) }
  },
})
