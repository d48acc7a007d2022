import type { PolicyEvaluation } from './effects.ts'

/**
 * Whether the organization's rules let an activity happen, in this order: the root quorum may do everything once enough
 * of its members approve; a policy that denies; a user's own credentials, which each may change; a policy that allows;
 * what more approvals would allow. Reading is free within an organization and from its parent.
 */
export type Decision = Allowed | Denied | WaitsForApprovals

export type Allowed = { readonly kind: 'allow'; readonly evaluations: readonly PolicyEvaluation[] }
/** Allowed once more users approve. */
export type WaitsForApprovals = { readonly kind: 'consensus'; readonly evaluations: readonly PolicyEvaluation[] }
/** `evaluations`: what each policy came to. */
export type Denied = {
  readonly kind: 'deny'
  readonly reason: string
  readonly evaluations: readonly PolicyEvaluation[]
}

export type Question = {
  readonly rootQuorum: { readonly threshold: number; readonly userIds: readonly string[] }
  /** The users whose approval counts now, the one who submitted among them. */
  readonly approverIds: readonly string[]
  readonly submitterId: string
  /** The user whose own credentials the activity changes, when that is all it changes. */
  readonly ownerId: string | undefined
  /** What each policy comes to; asked only where the root quorum has not decided. None has a say on what is its alone. */
  readonly evaluations: () => readonly PolicyEvaluation[]
}

export function decide({ rootQuorum, approverIds, submitterId, ownerId, ...question }: Question): Decision {
  const { threshold, userIds } = rootQuorum
  const approvals = new Set(approverIds.filter((userId) => userIds.includes(userId))).size
  if (threshold >= 1 && approvals >= threshold) return { kind: 'allow', evaluations: [] }

  const evaluations = question.evaluations()
  const some = (outcome: PolicyEvaluation['outcome']) => evaluations.filter((one) => one.outcome === outcome)
  const denying = some('OUTCOME_DENY_EXPLICIT').map(({ policyId }) => policyId)
  if (denying.length > 0) {
    const reason = `The following policies denied this action: ${denying.join(', ')}`
    return { kind: 'deny', reason, evaluations }
  }
  if (ownerId === submitterId || some('OUTCOME_ALLOW').length > 0) return { kind: 'allow', evaluations }
  if (approvals > 0 || some('OUTCOME_REQUIRES_CONSENSUS').length > 0) return { kind: 'consensus', evaluations }
  return { kind: 'deny', reason: 'No policies evaluated to outcome: Allow', evaluations }
}
