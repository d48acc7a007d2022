import type { PolicyEvaluation } from '../../src/policy/decision/effects.ts'
import {
  type CompiledPolicy,
  createPolicyEvaluator,
  type PolicyInput,
} from '../../src/policy/decision/policy_evaluator.ts'

/** The outcome of each policy, in order; undefined if they take too many steps together. */
export function evaluatePolicies(
  policies: readonly CompiledPolicy[],
  input: PolicyInput,
): readonly PolicyEvaluation[] | undefined {
  const evaluator = createPolicyEvaluator(input)
  const evaluations: PolicyEvaluation[] = []
  for (const policy of policies) {
    const evaluation = evaluator.evaluate(policy)
    if (evaluation === undefined) return undefined
    evaluations.push(evaluation)
  }
  return evaluations
}
