import { type Activity, isFinal, type Vote } from '../../contract/records/activity.ts'
import { recordedKeyOf } from '../../contract/records/factors.ts'
import type { User } from '../../contract/records/records.ts'
import { isQuorumComplete } from '../../policy/decision/decide.ts'
import type { StepMeter } from '../../policy/language/running/environment.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { credentialKeyOf, isSameKey } from '../caller/credential_stamps.ts'
import { isLimited } from '../caller/proxy_sessions.ts'
import type { SeenCaller } from '../caller/seen_caller.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import { submissionOf } from '../organization/submitted.ts'
import { isUsable } from './approver_facts.ts'
import { isStillAsked } from './asked_users.ts'
import { type Electorate, standingApprovals } from './standing_approvals.ts'

/** Returns the users whose approval counts now. The last vote stored which users still owe steps of an MFA policy. */
function approversOf({ votes, provingIds = [] }: Pick<Activity, 'votes' | 'provingIds'>, electorate: Electorate) {
  const approvals = standingApprovals(votes, electorate).filter(({ attested }) => attested === undefined)
  return [...new Set(approvals.map(({ userId }) => userId))].filter((userId) => !provingIds.includes(userId))
}

/** Whether the approvals that count now satisfy the current root quorum. */
function isApprovedByQuorum(activity: Activity, electorate: Electorate): boolean {
  const { rootQuorum } = electorate.organization.head
  return isQuorumComplete({ rootQuorum, approverIds: approversOf(activity, electorate) })
}

/** `organization`: the one of the activity. */
type Voter = { readonly organization: SeenOrganization; readonly caller: SeenCaller }

/**
 * Whether the caller is a voter of this activity. Voters are the root quorum, the users whose approval a policy waits
 * for, or waited for before, and the users who owe a step of an MFA policy.
 */
export function isVoter(activity: Activity, voter: Voter, meter?: StepMeter): boolean {
  const { provingIds = [] } = activity
  const { user } = voter.caller
  return isOfQuorumOr(
    [...(isStillAsked(activity, user, voter.organization, meter) ? [user.userId] : []), ...provingIds],
    voter,
  )
}

/** Whether the caller is of the root quorum or among these users. */
export function isOfQuorumOr(userIds: readonly string[], { organization: { head }, caller }: Voter): boolean {
  if (caller.organization.head.organizationId !== head.organizationId) return false
  return [...head.rootQuorum.userIds, ...userIds].includes(caller.user.userId)
}

export function notVoter(): Failure {
  return new Failure('FORBIDDEN', 'others decide about this activity, and you are not one of its voters')
}

/** Each vote is sealed with the activity. A user makes new sessions without end, and rules ask for few credentials. */
const votesOfUserMax = 16

/**
 * Whether an approval by one of these keys of a user who has approved counts beside the earlier ones, while a policy
 * waits that names `credentials`. `before` are the approvals that count.
 */
export function addsCredential(
  { votes }: Pick<Activity, 'votes'>,
  asked: {
    readonly userId: string
    readonly publicKeys: readonly (string | undefined)[]
    readonly before: readonly Vote[]
  },
): boolean {
  const isOwn = ({ userId }: Vote) => userId === asked.userId
  const used = new Set(asked.before.filter(isOwn).map(credentialKeyOf))
  const adds = (publicKey: string | undefined) => publicKey !== undefined && !used.has(publicKey)
  return votes.filter(isOwn).length < votesOfUserMax && asked.publicKeys.some(adds)
}

/**
 * Returns the votes that the caller can still cast; without a caller, those that anybody can. A caller who has approved
 * may approve again if the quorum has become so small that the approvals are enough by now: any approval runs the
 * activity then. So may one with another credential, while a policy waits that names `credentials`.
 */
export function possibleVotes(
  activity: Activity,
  {
    organization,
    caller,
    nowMs,
    meter,
  }: {
    readonly organization: SeenOrganization
    readonly caller: SeenCaller | undefined
    readonly nowMs: number
    readonly meter?: StepMeter
  },
): { readonly canApprove: boolean; readonly canReject: boolean } {
  const electorate = { organization, nowMs }
  const isWaiting = !isFinal(activity.status)
  if (caller === undefined) return { canApprove: isWaiting, canReject: isWaiting }
  if (!isWaiting || !isVoter(activity, { organization, caller }, meter)) {
    return { canApprove: false, canReject: false }
  }
  const owesStep = activity.provingIds?.includes(caller.user.userId) === true
  const waitsForSubmitter = activity.status === 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'
  const mayAdd = () =>
    mayAddCredential(caller.user, activity, { before: standingApprovals(activity.votes, electorate), nowMs })
  const mayVote = () =>
    !hasApproved(caller, activity, electorate) || isApprovedByQuorum(activity, electorate) || mayAdd()
  return { canApprove: owesStep || (!waitsForSubmitter && mayVote()), canReject: true }
}

/** Whether the caller has an approval that counts. */
function hasApproved({ user }: SeenCaller, activity: Activity, electorate: Electorate): boolean {
  return approversOf(activity, electorate).includes(user.userId)
}

/** Whether a user who has approved has another credential that counts too. `before` are the approvals that count. */
export function mayAddCredential(
  { userId, apiKeys, authenticators }: User,
  activity: Pick<Activity, 'votes' | 'countsCredentials'>,
  { before, nowMs }: { readonly before: readonly Vote[]; readonly nowMs: number },
): boolean {
  if (activity.countsCredentials !== true) return false
  const usable = apiKeys.filter((apiKey) => isUsable(apiKey, { nowMs }))
  const publicKeys = [...usable.map(({ publicKey }) => publicKey), ...authenticators.map(recordedKeyOf)]
  return addsCredential(activity, { userId, publicKeys, before })
}

export function isSubmitter({ votes }: Activity, { user, organization }: SeenCaller): boolean {
  const [submission] = votes
  return submission?.userId === user.userId && submission.organizationId === organization.head.organizationId
}

/**
 * Whether the caller may see what only the submitter may see. A session that may do less than its user sees that only of
 * what its own key submitted: by a token that another credential asked for, it could do more.
 */
export function seesAsSubmitter(activity: Activity, caller: SeenCaller): boolean {
  if (!isSubmitter(activity, caller)) return false
  return isSameKey(submissionOf(activity), caller.stamp) || !isLimited(caller)
}
