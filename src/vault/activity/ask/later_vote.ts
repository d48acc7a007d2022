import { maybe } from '../../../contract/needs.ts'
import { isFinal, type Vote } from '../../../contract/records/activity.ts'
import { readerOf } from '../../../deciding/organization/organization_reader.ts'
import { bodyOf, submissionOf } from '../../../deciding/organization/submitted.ts'
import { isSubmitter, isVoter, notVoter } from '../../../deciding/rules/voters.ts'
import { mfaOfLaterVote } from '../../../deciding/votes/read_vote.ts'
import { credentialNeeded } from '../../../deciding/votes/refusals.ts'
import { isRepeated } from '../../../deciding/votes/repeated.ts'
import { requestKeyOf } from '../../../protocol/wire/fingerprint.ts'
import { countKeyOf } from '../../books/entry_names.ts'
import { attestationReads } from '../../caller/attestation_use.ts'
import type { Caller } from '../../caller/caller.ts'
import type { Asking } from '../../caller/request_context.ts'
import { requestOf, requireScopeFor } from '../../rules/open_request.ts'
import { IntegrityError } from '../../state/evidence.ts'
import type { KnownActivity } from '../../state/known_activity.ts'
import type { Organization } from '../../state/organization.ts'
import { type ResolvedNeeds, resolveNeeds } from '../../state/resolve.ts'
import { voteOf } from './vote_of.ts'
import type { VoteOrShown } from './vote_or_answer.ts'

type Voting = {
  readonly target: Organization
  readonly caller: Caller
  readonly known: KnownActivity
  readonly selection: Vote['selection']
}

/** Reads the caller's vote on an activity that exists. One that has ended is shown to those who had a vote. */
export async function laterVoteBallot(context: Asking, voting: Voting): Promise<VoteOrShown> {
  const { target, caller, known, selection } = voting
  const { activity, version } = known
  await requireScopeFor(context, { target, caller }, activity)
  const vote = voteOf(context, caller, selection)
  if (isFinal(activity.status)) {
    if (!isRepeated(activity, vote) && caller.attested !== undefined) throw credentialNeeded()
    if (!isSubmitter(activity, caller) && !isVoter(activity, { organization: target, caller })) throw notVoter()
    return { kind: 'shown', target, caller, activity }
  }

  const { organizationId, activityId } = activity
  const requestKey = requestKeyOf(Number(bodyOf(activity).timestampMs), activity.fingerprint)
  // The vote may run the activity, whose amounts count once whichever vote does: by the key of the submission.
  context.decisionCounts.setActivityCountKey(() => countKeyOf(organizationId, requestKey))
  // Resolved by themselves first: a vote can also end an activity that cannot run, because a record of its request is
  // gone. Resolved again with that request: if it runs, its changes are made of one set of records.
  const needs = [maybe('pending_activity', activityId), ...attestationReads(caller)]
  const voteRecords = resolveNeeds(context, target, needs)
  requirePending(voteRecords, known)
  const { userId: submitterId } = submissionOf(activity)
  const request = await requestOf(context, target, activity, [...needs, maybe('user', submitterId)])
  const mfa = await mfaOfLaterVote(context, { target, caller, activity, vote, request })
  return { kind: 'cast', ballot: { target, caller, activity, version, vote, requestKey, request, voteRecords, mfa } }
}

/** Throws unless the head says that the activity waits in this version: an older one was put back. */
function requirePending(voteRecords: ResolvedNeeds, { activity, version }: KnownActivity): void {
  const { activityId, organizationId } = activity
  if (readerOf(voteRecords).pendingActivities.find(activityId)?.activityVersion === version) return
  throw new IntegrityError(`organization ${organizationId}: activity ${activityId} does not wait in version ${version}`)
}
