import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { ActivityProofView, activityProofView } from './shared/log_views.ts'

export default defineQuery({
  name: 'get_activity_proof',
  isOwn: true,
  summary:
    'Proves that an activity is recorded: the entries of the transparency log for each of its versions, with proofs that hold without the server.',
  takesLong: true,
  parameters: fields({ organizationId: Uuid, activityId: Uuid }),
  result: Type.Object({ proof: ActivityProofView }),
  needs: ({ activityId }) => [{ need: 'logged', activityId }],

  run({ organization }) {
    return { proof: activityProofView(organization.logged()) }
  },
})
