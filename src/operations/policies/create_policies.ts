import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, list, policiesPerRequestMax } from '../../contract/fields/fields.ts'
import { unused } from '../../contract/needs.ts'
import { checkNewExpressions, expressionPathsIn } from '../../policy/decision/policy_expressions.ts'
import { inSteps } from '../../protocol/tools/steps.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { addPolicy, NewPolicy, nameable, requireNamed } from './shared/policies.ts'
import { createdPolicies } from './shared/policy_rows.ts'

const pathOf = (index: number) => `parameters.policies[${index}]`

export default defineActivity({
  name: 'create_policies',
  summary: 'Creates several policies: all of them or none.',
  policy: { resource: 'POLICY', action: 'CREATE' },
  parameters: fields({ policies: list(NewPolicy, { itemsMin: 1, itemsMax: policiesPerRequestMax }) }),
  result: Type.Object({ policyIds: Type.Array(Type.String()) }),
  async check({ policies }, pause) {
    const names = new Set<string>()
    for (const [index, policy] of policies.entries()) {
      const { policyName } = policy
      if (names.has(policyName)) {
        throw new Failure('NAME_TAKEN', { fieldPath: `${pathOf(index)}.policyName`, expected: 'used once' })
      }
      names.add(policyName)
      const paths = expressionPathsIn(pathOf(index))
      await inSteps(checkNewExpressions(policy, paths, { isDenial: policy.effect === 'EFFECT_DENY' }), pause)
      await pause()
    }
  },
  needs: ({ policies }) => [
    ...policies.map(({ policyName }, index) => unused('policy_name', policyName, `${pathOf(index)}.policyName`)),
    ...nameable(...policies),
  ],
  explain: ({ parameters: { policies }, now }) => createdPolicies('create_policies', policies, now),

  async run({ organization, parameters: { policies }, newId, pause }) {
    for (const [index, policy] of policies.entries()) {
      requireNamed(policy, organization, expressionPathsIn(pathOf(index)))
      await pause()
    }
    return { policyIds: policies.map((policy) => addPolicy(policy, { organization, newId })) }
  },
})
