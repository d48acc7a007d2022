import type { Vote } from '../../contract/records/activity.ts'
import type { User } from '../../contract/records/records.ts'
import { apiKeyOf } from '../caller/credential_stamps.ts'
import { inviteeOf } from '../caller/invitee.ts'
import type { SeenCaller } from '../caller/seen_caller.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import { goneUser } from '../organization/submitted.ts'
import { userOfVote } from '../rules/standing_approvals.ts'

/**
 * Returns who cast a recorded vote, as the rules saw the caller. `organization` is that of the voter, as it was. Undefined
 * if it had no such user. That the vote was stamped by a credential of this user is another question.
 */
export function voterOf(organization: SeenOrganization, vote: Vote): SeenCaller | undefined {
  const { publicKey, scheme, attested, isUnstamped, isOfAuthProxy } = vote
  // The auth proxy is nobody.
  const user = isUnstamped ? goneUser(vote) : (userOfVote(organization, vote) ?? invited(organization, vote))
  if (user === undefined) return undefined
  const sessionProfileId = apiKeyOf({ user, stamp: vote })?.sessionProfileId
  return {
    stamp: { publicKey, scheme },
    ...{ sessionProfileId, attested, isOfAuthProxy, user, organization },
    ...(isUnstamped === undefined ? {} : { isUnstamped }),
  }
}

/** The person whom an invitation invites, who is no user before accepting it. */
function invited(organization: SeenOrganization, vote: Vote): User | undefined {
  const invitations = organization.allListed('invitation').filter(({ userId }) => userId === vote.userId)
  return invitations.map(inviteeOf).find((user) => apiKeyOf({ user, stamp: vote }) !== undefined)
}
