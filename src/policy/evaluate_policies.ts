import type { Effect, Outcome, PolicyEvaluation } from './effects.ts'
import type { Environment } from './language/evaluate.ts'
import type { Struct } from './language/values.ts'
import {
  type CompiledExpression,
  compileCondition,
  compileConsensus,
  compileTime,
  evaluateExpression,
} from './policy_expressions.ts'

/** A policy, ready to be asked about any request. */
export type CompiledPolicy = {
  readonly policyId: string
  readonly effect: Effect
  readonly condition: CompiledExpression
  readonly consensus: CompiledExpression
  readonly time: CompiledExpression
}

/** Who has approved and with what, as the fields of `approvers` and `credentials` (docs/policies.md). */
export type Approvals = { readonly approvers: readonly Struct[]; readonly credentials: readonly Struct[] }

/** What policies are asked about. */
export type PolicyRequest = {
  /** The keywords of conditions. */
  readonly facts: Struct
  readonly approvals: Approvals
  /** What the approvals would be if every user of the organization approved. */
  readonly everybody: () => Approvals
  readonly nowMs: number
  readonly spent?: NonNullable<Environment['spent']>
}

/** Throws a `Failure` for text that is none: what is stored was checked before it was stored. */
export function compilePolicy({
  policyId,
  effect,
  condition = '',
  consensus = '',
  time = '',
}: {
  readonly policyId: string
  readonly effect: Effect
  readonly condition?: string
  readonly consensus?: string
  readonly time?: string
}): CompiledPolicy {
  return {
    policyId,
    effect,
    condition: compileCondition(condition),
    consensus: compileConsensus(consensus),
    time: compileTime(time),
  }
}

/** What each policy comes to, in their order. */
export function evaluatePolicies(
  policies: readonly CompiledPolicy[],
  request: PolicyRequest,
): readonly PolicyEvaluation[] {
  return policies.map((policy) => ({ policyId: policy.policyId, outcome: outcomeOf(policy, request) }))
}

/**
 * A policy that is not active now has no say, whatever the rest of it. One with an error in it does not apply: it neither
 * allows nor denies. The interface has one outcome for "does not apply" and "nobody allows": DENY_IMPLICIT.
 */
function outcomeOf({ effect, condition, consensus, time }: CompiledPolicy, request: PolicyRequest): Outcome {
  const { facts, approvals, everybody, nowMs, spent } = request
  const isActive = evaluateExpression(time, { keywords: { time: { now: BigInt(nowMs) } } })
  if (isActive.kind === 'error') return 'OUTCOME_ERROR'
  if (!isActive.value) return 'OUTCOME_TIME_INACTIVE'

  const isMeant = evaluateExpression(condition, { keywords: facts, ...(spent === undefined ? {} : { spent }) })
  const isAgreed = evaluateExpression(consensus, { keywords: approvals })
  if (isMeant.kind === 'error' || isAgreed.kind === 'error') return 'OUTCOME_ERROR'
  if (!isMeant.value) return 'OUTCOME_DENY_IMPLICIT'
  if (isAgreed.value) return effect === 'EFFECT_ALLOW' ? 'OUTCOME_ALLOW' : 'OUTCOME_DENY_EXPLICIT'
  if (effect === 'EFFECT_DENY') return 'OUTCOME_DENY_IMPLICIT'
  const canBeAgreed = evaluateExpression(consensus, { keywords: everybody() })
  return canBeAgreed.kind === 'value' && canBeAgreed.value ? 'OUTCOME_REQUIRES_CONSENSUS' : 'OUTCOME_DENY_IMPLICIT'
}
