import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent, textChange } from '../../contract/explanation/changes.ts'
import type { Now } from '../../contract/explanation/explain_context.ts'
import type { Note } from '../../contract/explanation/explanation.ts'
import { note, number, row } from '../../contract/explanation/shown_values.ts'
import { checkMfaCondition } from '../../contract/fields/conditions.ts'
import { Expression, fields, Label, Notes, optional, Uuid } from '../../contract/fields/fields.ts'
import { user } from '../../contract/needs.ts'
import type { MfaPolicy, User } from '../../contract/records/records.ts'
import { inSteps } from '../../protocol/tools/steps.ts'
import {
  AuthenticationSteps,
  checkSteps,
  type GivenSteps,
  mfaPolicyOf,
  Order,
  sessionProfilesOf,
  stepsOf,
  withMfaPolicy,
} from './shared/mfa_policies.ts'
import { afterOthers, stepsValue, stepWarnings } from './shared/mfa_policy_rows.ts'

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
  async check({ condition = '', requiredAuthenticationMethods = [] }, pause) {
    await inSteps(checkMfaCondition(condition, 'parameters.condition'), pause)
    checkSteps(requiredAuthenticationMethods)
  },
  needs: ({ userId, requiredAuthenticationMethods = [] }) => [
    user(userId),
    ...sessionProfilesOf(requiredAuthenticationMethods),
  ],
  explain: ({ parameters, now }) => {
    const { userId, mfaPolicyId, mfaPolicyName, condition, order, notes, requiredAuthenticationMethods } = parameters
    const owner = now.find('user', userId)
    const policy = owner?.mfaPolicies?.find((one) => one.mfaPolicyId === mfaPolicyId)
    const isKnown = owner !== undefined && policy !== undefined && now.isBefore
    const changed = isKnown ? changeWarnings({ policy, given: parameters, owner }, now) : [note('stepsChange')]
    const numberOf = (given: number | undefined) => (given === undefined ? undefined : number(given))
    return changesContent(now, {
      code: 'update_mfa_policy',
      subject: [now.named(mfaPolicyId), now.named(userId)],
      warnings: [condition, requiredAuthenticationMethods, order].every((one) => one === undefined) ? [] : changed,
      rows: [row('mfa_policy', now.named(mfaPolicyId)), row('user', now.named(userId))],
      changes: {
        mfaPolicyName: textChange(policy?.mfaPolicyName, mfaPolicyName),
        condition: textChange(policy?.condition, condition),
        requiredAuthenticationMethods: {
          from: stepsValue(policy?.requiredAuthenticationMethods, now),
          to: stepsValue(requiredAuthenticationMethods, now),
        },
        order: { from: numberOf(policy?.order), to: numberOf(order) },
        notes: textChange(policy?.notes, notes),
      },
    })
  },

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

type Change = {
  readonly policy: MfaPolicy
  readonly given: { readonly requiredAuthenticationMethods?: GivenSteps; readonly order?: number }
  readonly owner: User
}

/**
 * The first policy by its order is the one that is enforced. So another order puts the steps of this policy in the place
 * of others, or those in the place of these.
 */
function changeWarnings({ policy, given, owner }: Change, now: Now): readonly Note[] {
  const { requiredAuthenticationMethods: steps } = policy
  const moved = { ...policy, order: given.order ?? policy.order }
  const all = owner.mfaPolicies ?? []
  const later = behind(policy, all)
  const allThen = all.map((one) => (one === policy ? moved : one))
  const laterThen = behind(moved, allThen)
  const earlierThen = allThen.filter((one) => one !== moved && !laterThen.includes(one))
  const stepsIn = (policies: readonly MfaPolicy[]) => policies.map((one) => one.requiredAuthenticationMethods)
  const overtaken = stepsIn(laterThen.filter((one) => !later.includes(one)))
  const overtaking = stepsIn(later.filter((one) => !laterThen.includes(one)))
  const after = given.requiredAuthenticationMethods ?? steps
  return [
    ...stepWarnings({ before: [steps, ...overtaken], after, user: owner }, now),
    ...overtaking.flatMap((one) => stepWarnings({ before: [steps], after: one, user: owner }, now)),
    ...afterOthers({ steps: after, earlier: earlierThen, user: owner }, now),
  ]
}

/** The policies that come after a policy. Among equal orders the older comes first. */
function behind(policy: MfaPolicy, all: readonly MfaPolicy[]): readonly MfaPolicy[] {
  const sorted = all.toSorted((one, other) => one.order - other.order)
  return sorted.slice(sorted.indexOf(policy) + 1)
}
