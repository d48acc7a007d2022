import Type from 'typebox'
import { defineActivity } from '../define.ts'
import { checkStatelessCondition } from '../fields/conditions.ts'
import { Expression, fields, Label, Notes, optional, Uuid } from '../fields/fields.ts'
import { user } from '../needs.ts'
import {
  AuthenticationSteps,
  checkSteps,
  mfaPolicyOf,
  Order,
  sessionProfilesOf,
  stepsOf,
  withMfaPolicy,
} from './shared/mfa_policies.ts'

export default defineActivity({
  name: 'update_mfa_policy',
  summary: 'Changes an MFA policy of a user. Absent fields stay as they are.',
  policy: { resource: 'MFA_POLICY', action: 'UPDATE' },
  parameters: fields({
    userId: Uuid,
    mfaPolicyId: Uuid,
    mfaPolicyName: optional(Label),
    condition: optional(Expression),
    requiredAuthenticationMethods: optional(AuthenticationSteps),
    order: optional(Order),
    notes: optional(Notes),
  }),
  result: Type.Object({ mfaPolicyId: Type.String() }),
  check: ({ condition = '', requiredAuthenticationMethods = [] }) => {
    checkStatelessCondition(condition, 'parameters.condition')
    checkSteps(requiredAuthenticationMethods)
  },
  needs: ({ userId, requiredAuthenticationMethods = [] }) => [
    user(userId),
    ...sessionProfilesOf(requiredAuthenticationMethods),
  ],

  run({ organization, parameters, nowMs }) {
    const { userId, mfaPolicyId, requiredAuthenticationMethods: steps, ...given } = parameters
    const found = organization.users.get(userId)
    const policy = mfaPolicyOf(found, mfaPolicyId)
    const changed = {
      ...policy,
      ...given,
      ...(steps === undefined ? {} : { requiredAuthenticationMethods: stepsOf(steps, { user: found, organization }) }),
      updatedAtMs: nowMs,
    }
    organization.users.put(withMfaPolicy(found, changed))
    return { mfaPolicyId: policy.mfaPolicyId }
  },
})
