import type { PolicyEvaluation } from './effects.ts'

/**
 * Whether the organization's rules let an activity happen. The root quorum may do everything once enough of its members
 * approve, and no policy stops it. Otherwise one policy that denies decides, then one that allows. Every user may
 * change its own credentials. Queries need no decision within an organization and from its parent.
 */
export type Decision =
  | { readonly kind: 'allow' }
  /** Allowed once more users approve, as the root quorum or a policy requires. */
  | { readonly kind: 'consensus' }
  | Denied

/** `evaluations` holds the outcome of each policy. */
export type Denied = {
  readonly kind: 'deny'
  readonly reason: string
  readonly evaluations: readonly PolicyEvaluation[]
}

export type Question = {
  readonly rootQuorum: { readonly threshold: number; readonly userIds: readonly string[] }
  /** The users whose approval counts now, the submitter included. */
  readonly approverIds: readonly string[]
  readonly submitterId: string
  /** The user whose own credentials the activity changes, when that is all it changes. */
  readonly ownerId: string | undefined
  /**
   * Whether the root quorum has allowed such requests before, as it does with the auth proxy. Only a policy that denies
   * stops one then.
   */
  readonly isGranted?: boolean | undefined
  /** The outcomes of the policies. Absent if there are none, or if the activity is for the root quorum alone. */
  readonly evaluations?: readonly PolicyEvaluation[]
}

type Approved = Pick<Question, 'rootQuorum' | 'approverIds'>

/** Whether enough members of the root quorum approve. If so, no other rule is asked. */
export function isQuorumComplete(approved: Approved): boolean {
  const { threshold } = approved.rootQuorum
  return threshold >= 1 && quorumApprovals(approved) >= threshold
}

function quorumApprovals({ rootQuorum, approverIds }: Approved): number {
  return new Set(approverIds.filter((userId) => rootQuorum.userIds.includes(userId))).size
}

export function decide({
  rootQuorum,
  approverIds,
  submitterId,
  ownerId,
  isGranted = false,
  evaluations = [],
}: Question): Decision {
  if (isQuorumComplete({ rootQuorum, approverIds })) return { kind: 'allow' }
  const denying = evaluations.filter(({ outcome }) => outcome === 'OUTCOME_DENY_EXPLICIT')
  if (denying.length > 0) {
    // The draft of a simulation has no id.
    const policyIds = denying.map(({ policyId }) => policyId || 'the draft').toSorted()
    return { kind: 'deny', reason: `The following policies denied this action: ${policyIds.join(', ')}`, evaluations }
  }
  if (evaluations.some(({ outcome }) => outcome === 'OUTCOME_ALLOW')) return { kind: 'allow' }
  if (isGranted) return { kind: 'allow' }
  // This comes before waiting: nobody waits for others to change its own credentials.
  if (ownerId === submitterId) return { kind: 'allow' }
  const isOfQuorum = quorumApprovals({ rootQuorum, approverIds }) > 0
  const isWorthWaiting = isOfQuorum || evaluations.some(({ outcome }) => outcome === 'OUTCOME_REQUIRES_CONSENSUS')
  if (isWorthWaiting) return { kind: 'consensus' }
  return { kind: 'deny', reason: 'No policies evaluated to outcome: Allow', evaluations }
}
