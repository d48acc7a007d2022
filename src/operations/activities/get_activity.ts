import Type from 'typebox'
import { defineQuery } from '../define.ts'
import { fields, Uuid } from '../fields/fields.ts'
import { activity } from '../needs.ts'
import { ActivityView } from '../records/activity_view.ts'

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
