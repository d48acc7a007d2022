import { type Activity, isFinal, type Vote } from '../operations/activity.ts'
import { decide, mayVote } from '../policy/decide.ts'
import type { Caller } from './caller.ts'
import type { Organization } from './organization.ts'
import { hasCredential } from './stamps.ts'

/** An approval counts for a day; after that it must be given again. */
const voteLifetimeMs = 24 * 60 * 60 * 1000

type Place = { readonly organization: Organization; readonly nowMs: number }

/** The users whose approval counts now. */
export function approversOf(activity: Pick<Activity, 'organizationId' | 'votes'>, place: Place): readonly string[] {
  return [...new Set(approvalsOf(activity, place).map(({ userId }) => userId))]
}

/** The approvals that count now: not lapsed, and given by a user and a credential that still exist. */
export function approvalsOf(
  { organizationId, votes }: Pick<Activity, 'organizationId' | 'votes'>,
  { organization, nowMs }: Place,
): readonly Vote[] {
  return votes.filter(
    (vote) =>
      vote.selection === 'VOTE_SELECTION_APPROVED' &&
      vote.organizationId === organizationId &&
      nowMs < vote.createdAtMs + voteLifetimeMs &&
      isHeld(organization, vote),
  )
}

function isHeld(organization: Organization, { userId, publicKey }: Vote): boolean {
  const user = organization.listed('user', userId)
  return user !== undefined && hasCredential(user, publicKey)
}

/** Whether the approvals that count now are enough for the organization as it is now. */
export function isApproved(activity: Activity, { organization, nowMs }: Place): boolean {
  const approverIds = approversOf(activity, { organization, nowMs })
  const submitterId = activity.votes[0]?.userId ?? ''
  const { rootQuorum } = organization.head
  return decide({ rootQuorum, approverIds, submitterId, ownerId: undefined }).kind === 'allow'
}

/**
 * Whether a user's approval would change something: it is a new one, or the others are enough by now, since the quorum
 * has become smaller, and any vote runs the activity.
 */
export function mayApprove(activity: Activity, { userId, ...place }: Place & { readonly userId: string }): boolean {
  return !approversOf(activity, place).includes(userId) || isApproved(activity, place)
}

/** Whether the caller is one of those who vote on what waits in the organization. */
export function isVoter(organization: Organization, caller: Caller): boolean {
  const { organizationId, rootQuorum } = organization.head
  const isOwn = caller.organization.head.organizationId === organizationId
  return isOwn && mayVote({ rootQuorum, userId: caller.user.userId })
}

/** What the caller can still do about an activity. */
export function possibleVotes(
  activity: Activity,
  {
    organization,
    caller,
    nowMs,
  }: { readonly organization: Organization; readonly caller: Caller; readonly nowMs: number },
): { readonly canApprove: boolean; readonly canReject: boolean } {
  const { userId } = caller.user
  if (isFinal(activity.status) || !isVoter(organization, caller)) return { canApprove: false, canReject: false }
  return { canApprove: mayApprove(activity, { organization, nowMs, userId }), canReject: true }
}
