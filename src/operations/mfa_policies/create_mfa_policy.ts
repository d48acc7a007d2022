import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import { row, text } from '../../contract/explanation/shown_values.ts'
import { checkMfaCondition } from '../../contract/fields/conditions.ts'
import { Expression, fields, Label, Notes, optional, Uuid } from '../../contract/fields/fields.ts'
import { user } from '../../contract/needs.ts'
import { inSteps } from '../../protocol/tools/steps.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import {
  AuthenticationSteps,
  checkSteps,
  Order,
  sessionProfilesOf,
  stepsOf,
  withMfaPolicy,
} from './shared/mfa_policies.ts'
import { afterOthers, mfaPolicyRows, stepWarnings } from './shared/mfa_policy_rows.ts'

export default defineActivity({
  name: 'create_mfa_policy',
  summary: 'Adds an MFA policy to a user. It says which steps the user must take before certain activities go on.',
  policy: { resource: 'MFA_POLICY', action: 'CREATE' },
  parameters: fields({
    userId: Uuid,
    mfaPolicyName: Label,
    condition: Expression,
    requiredAuthenticationMethods: AuthenticationSteps,
    order: Order,
    notes: optional(Notes),
  }),
  result: Type.Object({ mfaPolicyId: Type.String() }),
  async check({ condition, requiredAuthenticationMethods }, pause) {
    await inSteps(checkMfaCondition(condition, 'parameters.condition'), pause)
    checkSteps(requiredAuthenticationMethods)
  },
  needs: ({ userId, requiredAuthenticationMethods }) => [
    user(userId),
    ...sessionProfilesOf(requiredAuthenticationMethods),
  ],
  explain: ({ parameters, now }) => {
    const { userId, mfaPolicyName, order } = parameters
    const owner = now.isBefore ? now.find('user', userId) : undefined
    // The first policy by its order is the one that is enforced.
    const all = owner?.mfaPolicies ?? []
    const later = all.filter((one) => one.order > order)
    const earlier = all.filter((one) => one.order <= order)
    const before = later.map((one) => one.requiredAuthenticationMethods)
    const after = parameters.requiredAuthenticationMethods
    return changesContent(now, {
      code: 'create_mfa_policy',
      subject: [text(mfaPolicyName), now.named(userId)],
      warnings:
        owner === undefined
          ? []
          : [
              ...stepWarnings({ before, after, user: owner }, now),
              ...afterOthers({ steps: after, earlier, user: owner }, now),
            ],
      rows: [
        row('user', now.named(userId)),
        row('mfaPolicyName', text(mfaPolicyName)),
        ...mfaPolicyRows(parameters, now),
      ],
    })
  },

  run({ organization, parameters, nowMs, newId, limits: { mfaPoliciesPerUserMax } }) {
    const { userId, mfaPolicyName, condition, order, notes } = parameters
    const found = organization.users.get(userId)
    if ((found.mfaPolicies ?? []).length >= mfaPoliciesPerUserMax) {
      throw new Failure('LIMIT_REACHED', `a user has at most ${mfaPoliciesPerUserMax} MFA policies`)
    }
    const policy = {
      mfaPolicyId: newId(),
      mfaPolicyName,
      condition,
      requiredAuthenticationMethods: stepsOf(parameters.requiredAuthenticationMethods, { user: found, organization }),
      order,
      ...(notes === undefined ? {} : { notes }),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    }
    organization.users.put(withMfaPolicy(found, policy))
    return { mfaPolicyId: policy.mfaPolicyId }
  },
})
