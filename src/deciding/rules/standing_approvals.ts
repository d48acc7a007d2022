import type { Vote } from '../../contract/records/activity.ts'
import { withCredentialsSince } from '../../contract/records/factors.ts'
import { approvalLifetimeMs } from '../../contract/records/recent_changes.ts'
import type { User } from '../../contract/records/records.ts'
import { stillGoesBy } from '../caller/attested_users.ts'
import { hasCredential } from '../caller/credential_stamps.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'

/** Returns when an approval counts no more, unless it is given again. */
export function lapsesAtMs({ createdAtMs }: Vote): number {
  return createdAtMs + approvalLifetimeMs
}

/** Returns when the first of these approvals counts no more. Undefined if there is none. */
export function firstLapseMs(approvals: readonly Vote[]): number | undefined {
  return approvals.length === 0 ? undefined : Math.min(...approvals.map(lapsesAtMs))
}

/** The organization whose users vote, as it is now. */
export type Electorate = { readonly organization: SeenOrganization; readonly nowMs: number }

/**
 * Returns the approvals that hold now. They have not lapsed, and their user and their credential, contact or identity
 * still exist. If the submitter approves, what others approved before the first of these approvals counts no more: a
 * submitter whose own approval has ended could let the request wait with theirs, and let it go at a moment of choice.
 */
export function standingApprovals(votes: readonly Vote[], { organization, nowMs }: Electorate): readonly Vote[] {
  const standing = votes.filter(
    (vote) =>
      vote.selection === 'VOTE_SELECTION_APPROVED' &&
      vote.organizationId === organization.head.organizationId &&
      nowMs < lapsesAtMs(vote) &&
      isStanding(organization, vote),
  )
  const isOwn = ({ userId }: Vote) => userId === votes[0]?.userId
  // An attested approval is a step of an MFA policy, and no approval that lets anything go.
  const first = standing.findIndex((vote) => isOwn(vote) && vote.attested === undefined)
  return standing.filter((vote, index) => isOwn(vote) || index >= first)
}

/** Returns the user of a vote, with the link of the operator that stamped it. Undefined if the user is gone. */
export function userOfVote(
  organization: SeenOrganization,
  { userId, operatorLink }: Pick<Vote, 'userId' | 'operatorLink'>,
): User | undefined {
  const user = organization.listed('user', userId)
  return user === undefined || operatorLink === undefined ? user : { ...user, apiKeys: [...user.apiKeys, operatorLink] }
}

function isStanding(organization: SeenOrganization, vote: Vote): boolean {
  const { publicKey, attested } = vote
  const found = userOfVote(organization, vote)
  if (found === undefined) return false
  const user = withCredentialsSince(found, vote.createdAtMs)
  return attested === undefined ? hasCredential(user, publicKey) : stillGoesBy(user, attested, vote.createdAtMs)
}
