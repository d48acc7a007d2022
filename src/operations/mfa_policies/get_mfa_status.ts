import Type from 'typebox'
import { defineQuery } from '../define.ts'
import { fields, optional, Uuid } from '../fields.ts'
import { activity, user } from '../needs.ts'
import { AuthenticationMethodView, AuthenticationStepView } from '../views.ts'

export default defineQuery({
  name: 'get_mfa_status',
  summary: 'What an activity still waits for from the users whose MFA policies apply to it, or from one of them.',
  parameters: fields({ organizationId: Uuid, activityId: Uuid, userId: optional(Uuid) }),
  result: Type.Object({
    mfaStatuses: Type.Array(
      Type.Object({
        mfaPolicyId: Type.String(),
        userId: Type.String(),
        satisfied: Type.Boolean(),
        satisfiedMethods: Type.Array(AuthenticationMethodView),
        requiredMethods: Type.Array(AuthenticationStepView),
      }),
    ),
  }),
  reads: ({ activityId, userId }) => [activity(activityId), ...(userId === undefined ? [] : [user(userId)])],

  run() {
    // No activity waits for a proof yet: policies are kept, and not enforced.
    return { mfaStatuses: [] }
  },
})
