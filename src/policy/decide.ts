import type { PolicyEvaluation } from './effects.ts'

/**
 * Whether the organization's rules let an activity happen. The root quorum may do everything once enough of its members
 * approve, and no policy stops it; else what a policy denies is denied, and what one allows is allowed; every user may
 * change its own credentials. Reading is free within an organization and from its parent.
 */
export type Decision =
  | { readonly kind: 'allow' }
  /** Allowed once more users approve: of the quorum, or as a policy says. */
  | { readonly kind: 'consensus' }
  | Denied

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
  /** What the policies came to. Left out: there are none, or the activity is for the root quorum alone. */
  readonly evaluations?: readonly PolicyEvaluation[]
}

type Approved = Pick<Question, 'rootQuorum' | 'approverIds'>

/** Whether enough of the root quorum approve: then nothing else is asked. */
export function isQuorumComplete(approved: Approved): boolean {
  const { threshold } = approved.rootQuorum
  return threshold >= 1 && quorumApprovals(approved) >= threshold
}

function quorumApprovals({ rootQuorum, approverIds }: Approved): number {
  return new Set(approverIds.filter((userId) => rootQuorum.userIds.includes(userId))).size
}

export function decide({ rootQuorum, approverIds, submitterId, ownerId, evaluations = [] }: Question): Decision {
  if (isQuorumComplete({ rootQuorum, approverIds })) return { kind: 'allow' }
  const denying = evaluations.filter(({ outcome }) => outcome === 'OUTCOME_DENY_EXPLICIT')
  if (denying.length > 0) {
    const policyIds = denying.map(({ policyId }) => policyId).toSorted()
    return { kind: 'deny', reason: `The following policies denied this action: ${policyIds.join(', ')}`, evaluations }
  }
  if (evaluations.some(({ outcome }) => outcome === 'OUTCOME_ALLOW')) return { kind: 'allow' }
  // Before what would wait: nobody waits for others to change its own credentials.
  if (ownerId === submitterId) return { kind: 'allow' }
  const isOfQuorum = quorumApprovals({ rootQuorum, approverIds }) > 0
  const isWorthWaiting = isOfQuorum || evaluations.some(({ outcome }) => outcome === 'OUTCOME_REQUIRES_CONSENSUS')
  if (isWorthWaiting) return { kind: 'consensus' }
  return { kind: 'deny', reason: 'No policies evaluated to outcome: Allow', evaluations }
}
