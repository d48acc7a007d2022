import type { StepMeter } from '../language/running/evaluate.ts'
import { stepsMax, stepsOfPoliciesMax, within } from '../language/running/run.ts'
import { type Approvals, numberOfChoices, type Possible, withoutEqualOnes } from './equal_approvals.ts'
import { type CompiledExpression, evaluateExpression } from './policy_expressions.ts'

/**
 * Whether the consensus is true of the approvals that everybody could give, with some credential of each factor. A
 * consensus is monotone if more approvals cannot make it false. For a monotone one this says whether more approvals can
 * satisfy it (docs/decisions/0013-policy-language.md). Too many steps count as true: what waits happens by the approvals
 * that there are, and a refusal would stop it.
 */
export function isSatisfiableBy(possible: Possible, consensus: CompiledExpression, search: StepMeter): boolean {
  const budget = { stepsMax: Math.min(stepsOfPoliciesMax, search.steps + stepsMax), meter: search }
  const told = withoutEqualOnes(consensus.root, possible, budget)
  return choicesIn(told).some((keywords) => {
    const verdict = evaluateExpression(consensus, within(budget, { keywords }))
    return verdict.kind === 'value' ? verdict.value : verdict.code === 'TOO_MANY_STEPS'
  })
}

/** The approvals with one credential of each factor. Where that could be too many, there is one, with each credential. */
function choicesIn({ approvers, credentials, factors = [] }: Possible): readonly Approvals[] {
  if (numberOfChoices(factors) > choicesMax) return [{ approvers, credentials }]
  const ofFactors = new Set(factors.flat())
  const alone = credentials.filter((credential) => !ofFactors.has(credential))
  let choices = [alone]
  for (const factor of factors) {
    choices = factor.flatMap((credential) => choices.map((chosen) => [...chosen, credential]))
  }
  return choices.map((chosen) => ({ approvers, credentials: chosen }))
}

/** Each is a further evaluation, mostly over few users. */
const choicesMax = 256
