import type { Environment } from './language/evaluate.ts'
import type { Struct } from './language/values.ts'
import { type CompiledExpression, evaluateExpression, type Verdict } from './policy_expressions.ts'

export const policyEffects = ['EFFECT_ALLOW', 'EFFECT_DENY'] as const

/** An expression that is left out is true. */
export type CompiledPolicy = {
  readonly policyId: string
  readonly effect: (typeof policyEffects)[number]
  readonly consensus?: CompiledExpression
  readonly condition?: CompiledExpression
  readonly time?: CompiledExpression
}

/** What a policy, or a whole request, comes to. The first four and the last are what a policy alone can come to. */
export const outcomes = [
  'OUTCOME_ALLOW',
  'OUTCOME_DENY_EXPLICIT',
  /** Says nothing about this request. */
  'OUTCOME_DENY_IMPLICIT',
  /** Would allow, once more users approve. */
  'OUTCOME_REQUIRES_CONSENSUS',
  'OUTCOME_REJECTED',
  /** An expression has no value for this request: the policy does not apply. */
  'OUTCOME_ERROR',
  'OUTCOME_REQUIRES_AUTHENTICATORS',
  /** Not active now: the policy does not apply. */
  'OUTCOME_TIME_INACTIVE',
] as const
export type Outcome = (typeof outcomes)[number]

export type PolicyEvaluation = { readonly policyId: string; readonly outcome: Outcome }

/** The structs are those of docs/policies.md: users have an `id`, credentials a `user_id`. */
export type PolicySituation = {
  /** What conditions read. */
  readonly condition: Environment
  /** Milliseconds since 1970, one for the whole request. */
  readonly nowMs: number
  /** Who has approved, the one who submitted among them, and with what. */
  readonly approvers: readonly Struct[]
  readonly credentials: readonly Struct[]
  /** All users of the organization and their credentials: who may still approve. */
  readonly candidates: readonly Struct[]
  readonly candidateCredentials: readonly Struct[]
}

/** What each policy comes to, in their order. A policy knows nothing of the others. */
export function evaluatePolicies(
  policies: readonly CompiledPolicy[],
  situation: PolicySituation,
): readonly PolicyEvaluation[] {
  return policies.map((policy) => ({ policyId: policy.policyId, outcome: outcomeOf(policy, situation) }))
}

function outcomeOf({ effect, consensus, condition, time }: CompiledPolicy, situation: PolicySituation): Outcome {
  const isActive = verdictOf(time, { keywords: { time: { now: BigInt(situation.nowMs) } } })
  if (isActive.kind === 'error') return 'OUTCOME_ERROR'
  if (!isActive.value) return 'OUTCOME_TIME_INACTIVE'
  const matches = verdictOf(condition, situation.condition)
  const agrees = verdictOf(consensus, {
    keywords: { approvers: situation.approvers, credentials: situation.credentials },
  })
  if (matches.kind === 'error' || agrees.kind === 'error') return 'OUTCOME_ERROR'
  if (!matches.value) return 'OUTCOME_DENY_IMPLICIT'
  if (agrees.value) return effect === 'EFFECT_ALLOW' ? 'OUTCOME_ALLOW' : 'OUTCOME_DENY_EXPLICIT'
  if (effect === 'EFFECT_DENY') return 'OUTCOME_DENY_IMPLICIT'
  return isSatisfiable(consensus, situation) ? 'OUTCOME_REQUIRES_CONSENSUS' : 'OUTCOME_DENY_IMPLICIT'
}

/**
 * Whether the consensus is true once everybody has approved. For one that further approvals cannot undo that is whether
 * they can make it true; one that they can undo keeps nothing waiting (docs/decisions/0013-policy-language.md).
 */
function isSatisfiable(consensus: CompiledExpression | undefined, situation: PolicySituation): boolean {
  const { candidates, candidateCredentials } = situation
  const approved = new Set(situation.approvers.map(({ id }) => id))
  const approvers = [...situation.approvers, ...candidates.filter(({ id }) => !approved.has(id))]
  const credentials = [
    ...situation.credentials,
    ...candidateCredentials.filter(({ user_id: userId }) => !approved.has(userId)),
  ]
  const verdict = verdictOf(consensus, { keywords: { approvers, credentials } })
  return verdict.kind === 'value' && verdict.value
}

function verdictOf(expression: CompiledExpression | undefined, environment: Environment): Verdict {
  return expression === undefined ? { kind: 'value', value: true } : evaluateExpression(expression, environment)
}
