/**
 * Whether the organization's rules let a user do something. Rules so far: the root quorum, with a threshold of one, may
 * do everything; every user may change its own credentials; reading is free within an organization and from its parent.
 */
export type Decision = { readonly kind: 'allow' } | Denied

/** `evaluations`: what each policy came to. There are no policies yet. */
export type Denied = {
  readonly kind: 'deny'
  readonly reason: string
  readonly evaluations: readonly { readonly policyId: string; readonly outcome: string }[]
}

export type Question = {
  readonly rootQuorum: { readonly threshold: number; readonly userIds: readonly string[] }
  readonly userId: string
  /** The user whose own credentials the activity changes, when that is all it changes. */
  readonly ownerId: string | undefined
}

export function decide({ rootQuorum, userId, ownerId }: Question): Decision {
  const approvals = rootQuorum.userIds.includes(userId) ? 1 : 0
  if (rootQuorum.threshold >= 1 && approvals >= rootQuorum.threshold) return { kind: 'allow' }
  if (ownerId === userId) return { kind: 'allow' }
  return { kind: 'deny', reason: 'No policies evaluated to outcome: Allow', evaluations: [] }
}
