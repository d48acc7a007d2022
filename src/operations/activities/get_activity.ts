import Type from 'typebox'
import { ActivityView } from '../activity.ts'
import { defineQuery } from '../define.ts'
import { fields, Uuid } from '../fields.ts'
import { activity } from '../needs.ts'

export default defineQuery({
  name: 'get_activity',
  summary: 'One activity.',
  parameters: fields({ organizationId: Uuid, activityId: Uuid }),
  result: Type.Object({ activity: ActivityView }),
  reads: ({ activityId }) => [activity(activityId)],

  run({ organization, parameters: { activityId }, showActivity }) {
    return { activity: showActivity(organization.activities.get(activityId)) }
  },
})
