import type { Effect, Outcome, PolicyEvaluation } from './effects.ts'
import { type Environment, type StepMeter, stepsOfPoliciesMax } from './language/evaluate.ts'
import type { Struct } from './language/values.ts'
import { type CompiledExpression, evaluateExpression, type Verdict } from './policy_expressions.ts'

/** An expression that is left out is true. */
export type CompiledPolicy = {
  readonly policyId: string
  readonly effect: Effect
  readonly consensus?: CompiledExpression
  readonly condition?: CompiledExpression
  readonly time?: CompiledExpression
}

/** Who has approved and with what, as the keywords of consensus: users have an `id`, credentials a `user_id`. */
export type Approvals = { readonly approvers: readonly Struct[]; readonly credentials: readonly Struct[] }

/** The structs are those of docs/policies.md. */
export type PolicySituation = {
  /** What conditions read. */
  readonly condition: Environment
  /** Milliseconds since 1970, one for the whole request. */
  readonly nowMs: number
  /** Of those who have approved, the one who submitted among them. */
  readonly approvals: Approvals
  /** What they would be if all users of the organization approved, each with all credentials. */
  readonly everybody: () => Approvals
}

/**
 * What each policy comes to, in their order. A policy knows nothing of the others. Undefined when all of them together
 * take more than `stepsOfPoliciesMax` steps: what the rest would come to, nobody knows.
 */
export function evaluatePolicies(
  policies: readonly CompiledPolicy[],
  situation: PolicySituation,
): readonly PolicyEvaluation[] | undefined {
  const meter = { steps: 0 }
  const evaluations: PolicyEvaluation[] = []
  for (const policy of policies) {
    const outcome = outcomeOf(policy, { ...situation, meter })
    if (meter.steps > stepsOfPoliciesMax) return undefined
    evaluations.push({ policyId: policy.policyId, outcome })
  }
  return evaluations
}

type Metered = PolicySituation & { readonly meter: StepMeter }

function outcomeOf({ effect, consensus, condition, time }: CompiledPolicy, situation: Metered): Outcome {
  const { meter } = situation
  const isActive = verdictOf(time, { keywords: { time: { now: BigInt(situation.nowMs) } }, meter })
  if (isActive.kind === 'error') return 'OUTCOME_ERROR'
  if (!isActive.value) return 'OUTCOME_TIME_INACTIVE'
  const matches = verdictOf(condition, { ...situation.condition, meter })
  const agrees = verdictOf(consensus, { keywords: situation.approvals, meter })
  if (matches.kind === 'error' || agrees.kind === 'error') return 'OUTCOME_ERROR'
  if (!matches.value) return 'OUTCOME_DENY_IMPLICIT'
  if (effect === 'EFFECT_DENY') return agrees.value ? 'OUTCOME_DENY_EXPLICIT' : 'OUTCOME_DENY_IMPLICIT'
  // Where no approval counts any more, `all` is true of the empty list, and so is a consensus that is left out.
  if (agrees.value && situation.approvals.approvers.length > 0) return 'OUTCOME_ALLOW'
  return isSatisfiable(consensus, situation) ? 'OUTCOME_REQUIRES_CONSENSUS' : 'OUTCOME_DENY_IMPLICIT'
}

/**
 * Whether the consensus is true once everybody has approved. For one that further approvals cannot undo that is whether
 * they can make it true; one that they can undo keeps nothing waiting (docs/decisions/0013-policy-language.md).
 */
function isSatisfiable(consensus: CompiledExpression | undefined, { approvals, everybody, meter }: Metered): boolean {
  const others = everybody()
  const approved = new Set(approvals.approvers.map(({ id }) => id))
  const approvers = [...approvals.approvers, ...others.approvers.filter(({ id }) => !approved.has(id))]
  const credentials = [
    ...approvals.credentials,
    ...others.credentials.filter(({ user_id: userId }) => !approved.has(userId)),
  ]
  const verdict = verdictOf(consensus, { keywords: { approvers, credentials }, meter })
  return verdict.kind === 'value' && verdict.value
}

function verdictOf(expression: CompiledExpression | undefined, environment: Environment): Verdict {
  return expression === undefined ? { kind: 'value', value: true } : evaluateExpression(expression, environment)
}
