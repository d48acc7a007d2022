import { type Activity, isFinal, type Vote } from '../../operations/records/activity.ts'
import { isQuorumComplete } from '../../policy/decide.ts'
import { goesBy } from '../caller/attested_stamps.ts'
import type { Caller } from '../caller/caller.ts'
import { hasCredential } from '../caller/read_stamp.ts'
import type { Organization } from '../state/organization.ts'

/** An approval counts for a day; after that it must be given again. */
const voteLifetimeMs = 24 * 60 * 60 * 1000

export type Electorate = { readonly organization: Organization; readonly nowMs: number }

/** The users whose approval counts now, by what the last vote left of MFA policies. */
function approversOf(activity: Pick<Activity, 'organizationId' | 'votes' | 'provingIds'>, place: Electorate) {
  const approvals = heldApprovals(activity, place).filter(({ attested }) => attested === undefined)
  const { provingIds = [] } = activity
  return [...new Set(approvals.map(({ userId }) => userId))].filter((userId) => !provingIds.includes(userId))
}

/** The approvals that hold now: not lapsed, and given by a user and a credential, contact or identity that still exist. */
export function heldApprovals(
  { organizationId, votes }: Pick<Activity, 'organizationId' | 'votes'>,
  { organization, nowMs }: Electorate,
): readonly Vote[] {
  return votes.filter(
    (vote) =>
      vote.selection === 'VOTE_SELECTION_APPROVED' &&
      vote.organizationId === organizationId &&
      nowMs < vote.createdAtMs + voteLifetimeMs &&
      isHeld(organization, vote),
  )
}

function isHeld(organization: Organization, { userId, publicKey, attested }: Vote): boolean {
  const user = organization.listed('user', userId)
  if (user === undefined) return false
  return attested === undefined ? hasCredential(user, publicKey) : goesBy(user, attested)
}

/** Whether the root quorum's approvals that count now are enough for the organization as it is now. */
function isApprovedByQuorum(activity: Activity, place: Electorate): boolean {
  const { rootQuorum } = place.organization.head
  return isQuorumComplete({ rootQuorum, approverIds: approversOf(activity, place) })
}

/**
 * Whether the user is one of those who vote on this activity: the root quorum, and those for whom a policy waits, or who
 * owe a step of an MFA policy.
 */
export function isVoter(
  { organizationId, voterIds = [], provingIds = [] }: Pick<Activity, 'organizationId' | 'voterIds' | 'provingIds'>,
  { organization, caller }: { readonly organization: Organization; readonly caller: Caller },
): boolean {
  const { userId } = caller.user
  if (caller.organization.head.organizationId !== organizationId) return false
  return organization.head.rootQuorum.userIds.includes(userId) || [...voterIds, ...provingIds].includes(userId)
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
  const owesStep = activity.provingIds?.includes(caller.user.userId) === true
  const isOthersTurn = activity.status === 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'
  const mayVote = () => !hasApproved(caller, activity, place) || isApprovedByQuorum(activity, place)
  return { canApprove: owesStep || (!isOthersTurn && mayVote()), canReject: true }
}

/** Whether the caller's approval counts already. */
function hasApproved({ user }: Caller, activity: Activity, place: Electorate): boolean {
  return approversOf(activity, place).includes(user.userId)
}

export function isSubmitter({ votes }: Activity, { user, organization }: Caller): boolean {
  const [submission] = votes
  return submission?.userId === user.userId && submission.organizationId === organization.head.organizationId
}
