import type { Activity } from '../../operations/records/activity.ts'
import type { Caller } from '../caller/caller.ts'
import type { RequestContext } from '../caller/request_context.ts'
import { isSubmitter, possibleVotes } from '../rules/voters.ts'
import type { Organization } from '../state/organization.ts'
import { activityView } from '../state/sealed_activity.ts'

/** Returns a function that shows any of `activities`, and no other activity, to the caller. */
export function activityViewer(
  { request, nowMs }: RequestContext,
  { organization, caller }: { readonly organization: Organization; readonly caller: Caller },
  activities: readonly Activity[],
) {
  const { organizationId } = organization.head
  const voters = activities.flatMap(({ votes }) => votes.filter((vote) => vote.organizationId === organizationId))
  organization.require(
    'user',
    voters.map(({ userId }) => userId),
  )
  return (activity: Activity) =>
    activityView(activity, {
      dialect: request.dialect,
      isSubmitter: isSubmitter(activity, caller),
      userOf: (vote) => (vote.organizationId === organizationId ? organization.listed('user', vote.userId) : undefined),
      may: (shown) => possibleVotes(shown, { organization, caller, nowMs }),
    })
}
