import Type from 'typebox'
import { defineQuery } from '../define.ts'
import { ExplanationView } from '../explanation/explanation_view.ts'
import { fields, Uuid } from '../fields/fields.ts'
import { activity } from '../needs.ts'

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
