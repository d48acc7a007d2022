import type { PolicyEvaluation } from '../../policy/decision/effects.ts'
import { createPolicyEvaluator, type PolicyInput, type PolicyMeters } from '../../policy/decision/policy_evaluator.ts'
import type { StepMeter } from '../../policy/language/running/environment.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import type { CompiledPolicy } from './compiled_policies.ts'

/** The policies of nearly every request take fewer steps together. */
const stepsInARow = 10_000

/**
 * The policies that took more at their last evaluation. Several requests are begun in one turn, and each would evaluate
 * its first one in that turn. One of these begins only while the turn has time.
 */
const dear = new WeakSet<CompiledPolicy>()

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
    // Without a wait if there is time: others would take it before this one begins.
    const waiting = dear.has(policy) ? pause() : undefined
    if (waiting !== undefined) {
      await waiting
      stepsAtPause = evaluator.steps()
    }
    const stepsBefore = evaluator.steps()
    const evaluation = evaluator.evaluate(policy)
    const steps = evaluator.steps() - stepsBefore
    meter.steps += steps
    if (steps > stepsInARow) dear.add(policy)
    else dear.delete(policy)
    if (evaluation === undefined) return undefined
    evaluations.push(evaluation)
    if (evaluator.steps() - stepsAtPause > stepsInARow) {
      await pause()
      stepsAtPause = evaluator.steps()
    }
  }
  return evaluations
}
