import { type Activity, type ActivityStatus, transition } from '../../../operations/records/activity.ts'
import { errorAnswer, Failure } from '../../../protocol/wire/failures.ts'
import { changeKeyOf } from '../../books/entry_names.ts'
import { requireBasis } from '../../caller/link_basis.ts'
import { requireVotesWithinSession } from '../../caller/proxy_sessions.ts'
import { apiKeyOf } from '../../caller/read_stamp.ts'
import type { Making, Reading } from '../../caller/request_context.ts'
import { heldApprovals, userOfVote } from '../../rules/voters.ts'
import { submissionOf } from '../../state/sealed_activity.ts'
import { type Ballot, isSubmission } from '../ballot.ts'
import { verifyOidcTokens } from '../oidc_identities.ts'
import type { Weighed } from '../weigh.ts'
import { type ChangeSource, changeRecords, execute, type Step } from './execute.ts'
import { requirePlace } from './waiting_places.ts'

/** Does what a vote that counts does. If this throws a `Failure`, nothing was changed. */
export async function carryOut(context: Making, ballot: Ballot, weighed: Weighed): Promise<Step> {
  const { voted } = weighed
  switch (weighed.move) {
    case 'rejects':
      return end(context, ballot, { ...voted, status: transition(voted.status, 'ACTIVITY_STATUS_REJECTED') })
    case 'waits':
      return isSubmission(ballot) ? beginToWait(context, ballot, voted) : goOnWaiting(context, ballot, voted)
    case 'runs':
      return isSubmission(ballot) ? runAtOnce(context, ballot, weighed) : runVoted(context, ballot, weighed)
  }
}

/** Stores the activity without running it, until its submitter has taken all MFA steps and enough others approve. */
async function beginToWait(context: Making, ballot: Ballot, voted: Activity): Promise<Step> {
  const { request } = ballot
  const { activityId, organizationId, fingerprint, createdAtMs } = voted
  // The tokens of an activity that is going to wait are verified now: they may have expired when it runs.
  await verifyOidcTokens(context, request.bound, createdAtMs)
  // This throws if conditions cannot read the request: nobody should be asked to vote on that. Without policies,
  // nothing has tried to read it yet.
  request.facts()
  requirePlace(ballot, context.services.limits)
  const { userId: submitterId } = submissionOf(voted)
  const changes = await changeRecords(context, sourceOf(ballot), ({ pendingActivities }) => {
    pendingActivities.add({ activityId, activityVersion: 1, submitterId })
  })
  const found = { change: 'add', organizationId, lookup: 'fingerprint', key: fingerprint } as const
  const lookups = [...changes.lookups, { ...found, kind: 'activity', recordId: activityId }]
  const activity = { ...voted, status: transition(voted.status, waitingStatus(voted)) }
  return { kind: 'recorded', activity, changes: { ...changes, lookups } }
}

async function goOnWaiting(context: Making, ballot: Ballot, voted: Activity): Promise<Step> {
  const changes = await changeRecords(context, sourceOf(ballot), ({ pendingActivities }) => {
    const pending = pendingActivities.get(voted.activityId)
    pendingActivities.put({ ...pending, activityVersion: ballot.version + 1 })
  })
  const next = waitingStatus(voted)
  const status = voted.status === next ? next : transition(voted.status, next)
  return { kind: 'recorded', activity: { ...voted, status }, changes }
}

/** An activity whose submitter owes a step of an MFA policy waits for that first. */
function waitingStatus(activity: Activity): ActivityStatus {
  const submitterOwes = activity.provingIds?.includes(submissionOf(activity).userId) === true
  return submitterOwes ? 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED' : 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
}

function runAtOnce(context: Making, ballot: Ballot, { voted, approvals }: Weighed): Promise<Step> {
  return execute(context, { ...executionOf(ballot), activity: voted, approvals, submitter: ballot.caller })
}

/** Runs the request of an activity that has waited, with the organization as it is now. */
async function runVoted(context: Making, ballot: Ballot, weighed: Weighed): Promise<Step> {
  const { voted } = weighed
  try {
    const submitter = await standingSubmitter(context, ballot, weighed)
    const step = await execute(context, { ...executionOf(ballot), ...weighed, activity: voted, submitter })
    if (step.kind === 'recorded') return step
    // The changes of a refusal are written here too. Otherwise votes would allow passcodes to be guessed without end.
    return { kind: 'recorded', activity: failed(voted, step.failure), changes: step.changes }
  } catch (error) {
    // The vote is not taken, and the activity goes on waiting. Else others could end it by using up a budget of mails.
    if (!(error instanceof Failure) || error.isPassing) throw error
    return end(context, ballot, failed(voted, error))
  }
}

/** Returns the user who submitted the activity. Throws unless the user, and what the votes rest on, still stand. */
async function standingSubmitter(context: Reading, ballot: Ballot, { voted, approvals }: Weighed) {
  const { target, request } = ballot
  const { bound } = request
  const submission = submissionOf(voted)
  await bound.check(context.pause)
  const user = userOfVote(target, submission)
  if (user === undefined) throw new Failure('NOT_FOUND', 'the user who submitted this activity is gone')
  requireBasis(context, user, apiKeyOf({ user, stamp: submission }))
  const held = heldApprovals(voted, { organization: target, nowMs: context.nowMs })
  const votes = [submission, ...approvals]
  requireVotesWithinSession(context, { organization: target, votes, held }, bound.operation)
  return { user, organization: target }
}

function executionOf(ballot: Ballot) {
  const { target, request } = ballot
  const asksForAppProofs = request.asksForAppProofs()
  return { ...sourceOf(ballot), ...request.toRun(), bound: request.bound, target, asksForAppProofs }
}

/** Ends the activity without running it. */
async function end(context: Making, ballot: Ballot, activity: Activity): Promise<Step> {
  const changes = await changeRecords(context, sourceOf(ballot), ({ pendingActivities }) => {
    pendingActivities.remove(activity.activityId)
  })
  return { kind: 'recorded', activity, changes }
}

/** The origin of the changes that the vote makes. */
function sourceOf({ caller, own: resolved, target, requestKey, version }: Ballot): ChangeSource {
  const { organizationId } = target.head
  return { caller, resolved, changeKey: () => changeKeyOf({ organizationId, requestKey, version: version + 1 }) }
}

function failed(voted: Activity, error: Failure): Activity {
  const { code, message, details } = errorAnswer(error)
  return { ...voted, status: transition(voted.status, 'ACTIVITY_STATUS_FAILED'), failure: { code, message, details } }
}
