import { type Activity, isFinal, type Vote } from '../operations/activity.ts'
import type { Caller } from './caller.ts'
import type { Organization } from './organization.ts'
import { hasCredential } from './stamps.ts'

/** An approval counts for a day; after that it must be given again. */
const voteLifetimeMs = 24 * 60 * 60 * 1000

type Place = { readonly organization: Organization; readonly nowMs: number }

/** The users whose approval counts now. */
function approversOf(activity: Pick<Activity, 'organizationId' | 'votes'>, place: Place): readonly string[] {
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

/** Whether the root quorum's approvals that count now are enough for the organization as it is now. */
function isApprovedByQuorum(activity: Activity, place: Place): boolean {
  const { threshold, userIds } = place.organization.head.rootQuorum
  return approversOf(activity, place).filter((userId) => userIds.includes(userId)).length >= threshold
}

/** Whether the user is one of those who vote on this activity: the root quorum, and those for whom a policy waits. */
export function isVoter(
  { organizationId, voterIds = [] }: Pick<Activity, 'organizationId' | 'voterIds'>,
  { organization, caller }: { readonly organization: Organization; readonly caller: Caller },
): boolean {
  const { userId } = caller.user
  if (caller.organization.head.organizationId !== organizationId) return false
  return organization.head.rootQuorum.userIds.includes(userId) || voterIds.includes(userId)
}

/**
 * What the caller can still do about an activity. An approval that was given may be given again where the quorum has
 * become so small that the approvals are enough by now: any vote runs the activity then.
 */
export function possibleVotes(
  activity: Activity,
  {
    organization,
    caller,
    nowMs,
  }: { readonly organization: Organization; readonly caller: Caller; readonly nowMs: number },
): { readonly canApprove: boolean; readonly canReject: boolean } {
  const place = { organization, nowMs }
  if (isFinal(activity.status) || !isVoter(activity, { organization, caller })) {
    return { canApprove: false, canReject: false }
  }
  const canApprove = !hasApproved(caller, activity, place) || isApprovedByQuorum(activity, place)
  return { canApprove, canReject: true }
}

/** Whether the caller's approval counts already. */
export function hasApproved(
  { user }: Caller,
  activity: Pick<Activity, 'organizationId' | 'votes'>,
  place: Place,
): boolean {
  return approversOf(activity, place).includes(user.userId)
}
