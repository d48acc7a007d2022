import { type Activity, isFinal, transition } from '../../../contract/records/activity.ts'
import { apiKeyOf } from '../../../deciding/caller/credential_stamps.ts'
import { requireVotesWithinSession } from '../../../deciding/caller/proxy_sessions.ts'
import { submissionOf } from '../../../deciding/organization/submitted.ts'
import { standingApprovals, userOfVote } from '../../../deciding/rules/standing_approvals.ts'
import type { CountedVote } from '../../../deciding/votes/count_vote.ts'
import { isSubmission } from '../../../deciding/votes/uncounted_vote.ts'
import { errorAnswer, Failure } from '../../../protocol/wire/failures.ts'
import { changeKeyOf } from '../../books/entry_names.ts'
import { requireBasis } from '../../caller/link_basis.ts'
import type { Making } from '../../caller/request_context.ts'
import { requireWaysInOpen } from '../../caller/ways_in.ts'
import type { Draft } from '../../state/draft/draft.ts'
import type { Ballot } from '../ballot.ts'
import { verifyOidcTokens } from '../verify_oidc_tokens.ts'
import { credentialsAdded, receiversOf } from '../waiting_credentials.ts'
import { type ChangeSource, draftOf } from './draft_of.ts'
import { execute, type VoteEffect } from './execute.ts'
import { requireUnchanged } from './unchanged.ts'
import { requireNothingUndone } from './undone.ts'
import { requirePlace } from './waiting_places.ts'

/**
 * Applies a vote that counts: runs its activity, ends it, or leaves it waiting. If this throws a `Failure`, nothing was
 * changed.
 */
export async function carryOut(context: Making, ballot: Ballot, counted: CountedVote): Promise<VoteEffect> {
  const { move, voted, expectedStatus } = counted
  if (move === 'runs') {
    return isSubmission(ballot)
      ? execute(context, { ...executionOf(ballot), activity: voted, submitter: ballot.caller })
      : runAfterWaiting(context, ballot, counted)
  }
  if (isSubmission(ballot)) {
    const { request } = ballot
    // The tokens of an activity that is going to wait are verified now: they may have expired when it runs.
    await verifyOidcTokens(context, request.bound, voted.createdAtMs)
    // This throws if conditions cannot read the request: nobody should be asked to vote on that. Without policies,
    // nothing has tried to read it yet.
    request.facts()
    requirePlace(ballot, context.services.limits)
  }
  // The table of transitions has none from a status to itself, in which an activity may go on waiting.
  const status = voted.status === expectedStatus ? expectedStatus : transition(voted.status, expectedStatus)
  const isNewLogin = isSubmission(ballot) && ballot.request.bound.operation.logsIn
  const from = isNewLogin ? { submittedFrom: context.request.sourceAddress } : {}
  return waitOrEnd(draftOf(context, changeSourceOf(ballot)), ballot, { ...voted, status, ...from })
}

/** Writes an activity that waits, or that ends without running. Its head lists it while it waits. */
async function waitOrEnd(draft: Draft, ballot: Ballot, activity: Activity): Promise<VoteEffect> {
  const { activityId, organizationId, fingerprint, status } = activity
  const { pendingActivities } = draft.writer
  const activityVersion = ballot.version + 1
  if (isFinal(status)) pendingActivities.remove(activityId)
  else if (isSubmission(ballot)) {
    const { bound } = ballot.request
    const needs = bound.needs(organizationId)
    const credentials = credentialsAdded(needs)
    const { userId: submitterId } = submissionOf(activity)
    const receiverIds = receiversOf(ballot.request.toRun().resolved, { needs, bound }, submitterId)
    pendingActivities.add({
      ...{ activityId, activityVersion, submitterId },
      ...(credentials.length === 0 ? {} : { credentials, receiverIds }),
    })
  } else pendingActivities.put({ ...pendingActivities.get(activityId), activityVersion })
  const changes = await draft.changes()
  if (!isSubmission(ballot)) return { kind: 'done', activity, changes }
  const found = { change: 'add', organizationId, lookup: 'fingerprint', key: fingerprint } as const
  const lookups = [...changes.lookups, { ...found, kind: 'activity', recordId: activityId }]
  return { kind: 'done', activity, changes: { ...changes, lookups } }
}

/** Runs the request of an activity that has waited, with the organization as it is now. */
async function runAfterWaiting(context: Making, ballot: Ballot, counted: CountedVote): Promise<VoteEffect> {
  const { voted } = counted
  try {
    await ballot.request.bound.check(context.pause)
    const submitter = standingSubmitter(context, ballot, counted)
    requireUnchanged(ballot, counted.approvals)
    const effect = await execute(context, { ...executionOf(ballot), activity: voted, submitter })
    if (effect.kind === 'done') {
      requireNothingUndone(ballot, counted.approvals, effect.written)
      return effect
    }
    // The changes of a refusal are written here too. Otherwise votes would allow passcodes to be guessed without end.
    return { kind: 'done', activity: failed(voted, effect.failure), changes: effect.changes }
  } catch (error) {
    // After a passing failure, such as an empty budget of mails, the vote is not taken and the activity goes on waiting:
    // others could cause one on purpose. Any other failure ends it.
    if (!(error instanceof Failure) || error.isPassing) throw error
    return waitOrEnd(draftOf(context, changeSourceOf(ballot)), ballot, failed(voted, error))
  }
}

/** Returns the user who submitted the activity. Throws unless the user, and what the votes rest on, still stand. */
function standingSubmitter(context: Making, ballot: Ballot, { voted, approvals }: CountedVote) {
  const { target, request } = ballot
  const submission = submissionOf(voted)
  const user = userOfVote(target, submission)
  if (user === undefined) throw new Failure('NOT_FOUND', 'the user who submitted this activity is gone')
  requireBasis(context, user, apiKeyOf({ user, stamp: submission }))
  const standing = standingApprovals(voted.votes, { organization: target, nowMs: context.nowMs })
  const { bound } = request
  const { operation } = bound
  const votes = [submission, ...approvals]
  requireVotesWithinSession({ organization: target, votes, standing }, { operation, bound: () => bound })
  const { submittedFrom } = voted
  requireWaysInOpen(context, { organization: target, user, operation, submittedFrom }, { submission, approvals })
  return { user, organization: target }
}

function executionOf(ballot: Ballot) {
  const { target, request } = ballot
  // The records of the whole request include those of the vote.
  const { resolved, facts } = request.toRun()
  return { ...changeSourceOf(ballot), resolved, facts, bound: request.bound, target }
}

/** The origin of the changes that the vote makes. */
function changeSourceOf({ caller: voter, voteRecords: resolved, target, requestKey, version }: Ballot): ChangeSource {
  const { organizationId } = target.head
  return { voter, resolved, changeKey: () => changeKeyOf({ organizationId, requestKey, version: version + 1 }) }
}

function failed(voted: Activity, error: Failure): Activity {
  const { code, message, details } = errorAnswer(error)
  return { ...voted, status: transition(voted.status, 'ACTIVITY_STATUS_FAILED'), failure: { code, message, details } }
}
