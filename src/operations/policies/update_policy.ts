import Type, { type Static } from 'typebox'
import { defineActivity, olderType } from '../../contract/define.ts'
import type { Content } from '../../contract/explanation/content.ts'
import { changedRow, type Now } from '../../contract/explanation/explain_context.ts'
import { code, none, row, section, wholeText } from '../../contract/explanation/shown_values.ts'
import { warned } from '../../contract/explanation/warnings.ts'
import { ExpressionOrNone, fields, Label, Notes, optional, Uuid } from '../../contract/fields/fields.ts'
import { requireUnusedByOthers } from '../../contract/fields/names.ts'
import { lookup, policy } from '../../contract/needs.ts'
import { EffectName } from '../../contract/records/views.ts'
import { checkNewExpressions, refuseEmptyDenial } from '../../policy/decision/policy_expressions.ts'
import { inSteps, type Steps } from '../../protocol/tools/steps.ts'
import { nameable, requireNamed, withExpressions } from './shared/policies.ts'
import { changedPolicy, controlsIn } from './shared/policy_rows.ts'

const withoutTime = {
  policyId: Uuid,
  policyName: optional(Label),
  policyEffect: optional(EffectName),
  policyCondition: optional(ExpressionOrNone),
  policyConsensus: optional(ExpressionOrNone),
  policyNotes: optional(Notes),
}
const updated = fields({ ...withoutTime, time: optional(ExpressionOrNone) })
const paths = {
  condition: 'parameters.policyCondition',
  consensus: 'parameters.policyConsensus',
  time: 'parameters.time',
}

export default defineActivity({
  name: 'update_policy',
  summary: 'Changes a policy. Absent fields stay as they are, and an empty expression removes the old one.',
  type: 'ACTIVITY_TYPE_UPDATE_POLICY_V2',
  policy: { resource: 'POLICY', action: 'UPDATE' },
  parameters: updated,
  result: Type.Object({ policyId: Type.String() }),
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_UPDATE_POLICY',
      parameters: fields(withoutTime),
      upgrade: (given) => given,
    }),
  ],
  check: (parameters, pause) => inSteps(checkNewExpressions(expressionsIn(parameters), paths), pause),
  needs: (parameters) => [
    policy(parameters.policyId),
    ...(parameters.policyName === undefined ? [] : [lookup('policy_name', parameters.policyName)]),
    ...nameable(expressionsIn(parameters)),
  ],
  explain: ({ parameters, now }) => explained(parameters, now),

  async run({ organization, parameters, pause }) {
    const { policyName, policyEffect, policyNotes } = parameters
    const expressions = expressionsIn(parameters)
    const found = organization.policies.get(parameters.policyId)
    const { policyId } = found
    if (policyName !== undefined) {
      const named = organization.found('policy', 'policy_name', policyName)
      requireUnusedByOthers(named, (other) => other.policyId === policyId, 'parameters.policyName')
    }
    requireNamed(expressions, organization, paths)
    const changed = {
      ...found,
      policyName: policyName ?? found.policyName,
      effect: policyEffect ?? found.effect,
      notes: policyNotes ?? found.notes,
    }
    const after = withExpressions(changed, expressions)
    if (after.effect === 'EFFECT_DENY') {
      await inSteps(refuseEmptyDenial(found.effect === after.effect ? expressions : after, paths), pause)
    }
    organization.policies.put(after)
    return { policyId }
  },
})

type ExpressionParameters = {
  readonly policyCondition?: string
  readonly policyConsensus?: string
  readonly time?: string
}

function expressionsIn({ policyCondition, policyConsensus, time }: ExpressionParameters) {
  return { condition: policyCondition, consensus: policyConsensus, time }
}

function* explained(given: Static<typeof updated>, now: Now): Steps<Content> {
  const policy = now.find('policy', given.policyId)
  const texts = (from: string | undefined, to: string | undefined) => ({
    from: from === undefined ? undefined : wholeText(from),
    to: to === undefined ? undefined : to === '' ? none : wholeText(to),
  })
  const after = { ...expressionsIn(given), effect: given.policyEffect }
  const { says, losses } =
    policy !== undefined && now.isBefore ? yield* changedPolicy(policy, after, now) : { says: [], losses: [] }
  const controls = yield* controlsIn(given.policyCondition ?? policy?.condition, now)
  return {
    title: warned({ code: 'update_policy', values: [now.named(given.policyId), ...says] }, losses),
    sections: section('changes', [
      row('policy', now.named(given.policyId)),
      ...changedRow(now, 'policyName', texts(policy?.policyName, given.policyName)),
      ...(given.policyEffect === undefined && policy !== undefined
        ? [row('effect', code(policy.effect))]
        : changedRow(now, 'effect', {
            from: policy && code(policy.effect),
            to: given.policyEffect && code(given.policyEffect),
          })),
      ...changedRow(now, 'condition', texts(policy?.condition, given.policyCondition)),
      ...controls,
      ...changedRow(now, 'consensus', texts(policy?.consensus, given.policyConsensus)),
      ...changedRow(now, 'time', texts(policy?.time, given.time)),
      ...changedRow(now, 'notes', texts(policy?.notes, given.policyNotes)),
    ]),
  }
}
