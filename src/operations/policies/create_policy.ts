import Type from 'typebox'
import { defineActivity, olderType } from '../../contract/define.ts'
import { fields, Label, list, Notes, optional } from '../../contract/fields/fields.ts'
import { unused } from '../../contract/needs.ts'
import { EffectName } from '../../contract/records/views.ts'
import { checkNewExpressions, expressionPathsIn } from '../../policy/decision/policy_expressions.ts'
import { inSteps } from '../../protocol/tools/steps.ts'
import { addPolicy, NewPolicy, nameable, requireNamed } from './shared/policies.ts'
import { createdPolicies } from './shared/policy_rows.ts'
import { expressionsOf, Selector, SelectorOfOne, selectorsMax } from './shared/policy_selectors.ts'

const paths = expressionPathsIn('parameters')
const ofSelectors = { policyName: Label, effect: EffectName, notes: optional(Notes) }

export default defineActivity({
  name: 'create_policy',
  summary: 'Creates a policy, which allows or denies the requests that its expressions describe.',
  type: 'ACTIVITY_TYPE_CREATE_POLICY_V3',
  resultKey: 'createPolicyResult',
  policy: { resource: 'POLICY', action: 'CREATE' },
  parameters: NewPolicy,
  result: Type.Object({ policyId: Type.String() }),
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_POLICY_V2',
      resultKey: 'createPolicyResult',
      parameters: fields({ ...ofSelectors, selectors: list(Selector, { itemsMax: selectorsMax }) }),
      upgrade: ({ selectors, notes = '', ...given }) => ({ ...given, notes, ...expressionsOf(selectors) }),
    }),
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_POLICY',
      parameters: fields({ ...ofSelectors, selectors: list(SelectorOfOne, { itemsMax: selectorsMax }) }),
      upgrade: ({ selectors, notes = '', ...given }) => ({
        ...given,
        notes,
        ...expressionsOf(selectors.map(({ target, ...selector }) => ({ ...selector, targets: [target] }))),
      }),
    }),
  ],
  check: (parameters, pause) => {
    const checking = checkNewExpressions(parameters, paths, { isDenial: parameters.effect === 'EFFECT_DENY' })
    return inSteps(checking, pause)
  },
  needs: (parameters) => [
    unused('policy_name', parameters.policyName, 'parameters.policyName'),
    ...nameable(parameters),
  ],
  explain: ({ parameters, now }) => createdPolicies('create_policy', [parameters], now),

  run({ organization, parameters, newId }) {
    requireNamed(parameters, organization, paths)
    return { policyId: addPolicy(parameters, { organization, newId }) }
  },
})
