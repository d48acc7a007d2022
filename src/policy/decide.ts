/**
 * Whether the organization's rules let an activity happen. Rules so far: the root quorum may do everything once enough
 * of its members approve; every user may change its own credentials; reading is free within an organization and from
 * its parent.
 */
export type Decision =
  | { readonly kind: 'allow' }
  /** Allowed once more members of the quorum approve. */
  | { readonly kind: 'consensus' }
  | Denied

/** `evaluations`: what each policy came to. There are no policies yet. */
export type Denied = {
  readonly kind: 'deny'
  readonly reason: string
  readonly evaluations: readonly { readonly policyId: string; readonly outcome: string }[]
}

export type Question = {
  readonly rootQuorum: { readonly threshold: number; readonly userIds: readonly string[] }
  /** The users whose approval counts now, the one who submitted among them. */
  readonly approverIds: readonly string[]
  readonly submitterId: string
  /** The user whose own credentials the activity changes, when that is all it changes. */
  readonly ownerId: string | undefined
}

export function decide({ rootQuorum, approverIds, submitterId, ownerId }: Question): Decision {
  if (ownerId === submitterId) return { kind: 'allow' }
  const approvals = new Set(approverIds.filter((userId) => rootQuorum.userIds.includes(userId))).size
  if (approvals === 0) {
    return { kind: 'deny', reason: 'No policies evaluated to outcome: Allow', evaluations: [] }
  }
  return rootQuorum.threshold >= 1 && approvals >= rootQuorum.threshold ? { kind: 'allow' } : { kind: 'consensus' }
}

/** Whether a user's vote on an activity that waits can count. */
export function mayVote({ rootQuorum, userId }: Pick<Question, 'rootQuorum'> & { readonly userId: string }): boolean {
  return rootQuorum.userIds.includes(userId)
}
