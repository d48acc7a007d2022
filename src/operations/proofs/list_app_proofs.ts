import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { activity } from '../../contract/needs.ts'
import { AppProofView } from '../../contract/records/activity_view.ts'

export default defineQuery({
  name: 'list_app_proofs',
  summary: 'Lists the app proofs of an activity. The list is empty unless its request asked for proofs.',
  parameters: fields({ organizationId: Uuid, activityId: Uuid }),
  result: Type.Object({ appProofs: Type.Array(AppProofView) }),
  needs: ({ activityId }) => [activity(activityId)],

  run({ organization, parameters: { activityId }, showActivity }) {
    const { appProofs = [] } = showActivity(organization.activities.get(activityId))
    return { appProofs }
  },
})
