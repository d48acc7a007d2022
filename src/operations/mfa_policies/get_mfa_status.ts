import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, optional, Uuid } from '../../contract/fields/fields.ts'
import { view } from '../../contract/fields/named.ts'
import { activity, user } from '../../contract/needs.ts'
import { AuthenticationMethodView, AuthenticationStepView } from '../../contract/records/views.ts'

export default defineQuery({
  name: 'get_mfa_status',
  summary: 'Lists the MFA steps for which an activity waits, of all users or of one.',
  parameters: fields({ organizationId: Uuid, activityId: Uuid, userId: optional(Uuid) }),
  result: Type.Object({
    mfaStatuses: Type.Array(
      view('MfaStatus', {
        mfaPolicyId: Type.String(),
        userId: Type.String(),
        satisfied: Type.Boolean(),
        satisfiedMethods: Type.Array(AuthenticationMethodView),
        requiredMethods: Type.Array(AuthenticationStepView),
      }),
    ),
  }),
  needs: ({ activityId, userId }) => [activity(activityId), ...(userId === undefined ? [] : [user(userId)])],

  async run({ organization, parameters: { activityId, userId }, mfaStatuses }) {
    const statuses = await mfaStatuses(organization.activities.get(activityId))
    const wanted = statuses.filter((status) => userId === undefined || status.userId === userId)
    return {
      mfaStatuses: wanted.map(({ satisfiedMethods, requiredMethods, ...status }) => ({
        ...status,
        satisfiedMethods: [...satisfiedMethods],
        requiredMethods: requiredMethods.map(({ any }) => ({ any: [...any] })),
      })),
    }
  },
})
