import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { ExplanationView } from '../../contract/explanation/explanation_view.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { activity } from '../../contract/needs.ts'

export default defineQuery({
  name: 'explain_activity',
  isOwn: true,
  summary:
    'Says what an activity means: what it signs or changes, who asked, which rule decides and whose approval is missing.',
  takesLong: true,
  parameters: fields({ organizationId: Uuid, activityId: Uuid }),
  result: Type.Object({ explanation: ExplanationView }),
  needs: ({ activityId }) => [activity(activityId)],

  async run({ organization, parameters: { activityId }, explain }) {
    return { explanation: await explain(organization.activities.get(activityId)) }
  },
})
