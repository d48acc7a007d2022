import type { PolicyEvaluation } from '../../policy/decision/effects.ts'
import { createPolicyEvaluator, type PolicyInput, type PolicyMeters } from '../../policy/decision/evaluate_policies.ts'
import type { StepMeter } from '../../policy/language/running/environment.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import type { CompiledPolicy } from './compiled_policies.ts'

/** The policies of nearly every request take fewer steps together. */
const stepsInARow = 10_000

type Evaluating = {
  readonly pause: Pause
  /** Those of several questions, which then share the steps. */
  readonly meters?: PolicyMeters
  /** Counts the steps of this question. It limits nothing. */
  readonly meter?: StepMeter | undefined
}

/**
 * Returns the outcome of each policy, in order. Undefined when all of them together take too many steps. Other requests
 * get their turn in between.
 */
export async function evaluatePolicies(
  policies: readonly CompiledPolicy[],
  input: PolicyInput,
  { pause, meters, meter = { steps: 0 } }: Evaluating,
): Promise<readonly PolicyEvaluation[] | undefined> {
  const evaluator = createPolicyEvaluator(input, meters)
  const evaluations: PolicyEvaluation[] = []
  let stepsAtPause = evaluator.steps()
  for (const policy of policies) {
    const stepsBefore = evaluator.steps()
    const evaluation = evaluator.evaluate(policy)
    meter.steps += evaluator.steps() - stepsBefore
    if (evaluation === undefined) return undefined
    evaluations.push(evaluation)
    if (evaluator.steps() - stepsAtPause > stepsInARow) {
      await pause()
      stepsAtPause = evaluator.steps()
    }
  }
  return evaluations
}
