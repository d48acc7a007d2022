import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { activity } from '../../contract/needs.ts'
import { ActivityView } from '../../contract/records/activity_view.ts'

export default defineQuery({
  name: 'get_activity',
  summary: 'Returns one activity.',
  parameters: fields({ organizationId: Uuid, activityId: Uuid }),
  result: Type.Object({ activity: ActivityView }),
  needs: ({ activityId }) => [activity(activityId)],

  run({ organization, parameters: { activityId }, showActivity }) {
    return { activity: showActivity(organization.activities.get(activityId)) }
  },
})
