import { maybe } from '../../operations/needs.ts'
import {
  type Activity,
  type ActivityStatus,
  isFinal,
  transition,
  type Vote,
} from '../../operations/records/activity.ts'
import { lazily } from '../../protocol/tools/lazily.ts'
import { errorAnswer, Failure } from '../../protocol/wire/failures.ts'
import { requestKeyOf } from '../../protocol/wire/fingerprint.ts'
import { changeKeyOf, countKeyOf } from '../books/entry_names.ts'
import { attestationReads, credentialNeeded } from '../caller/attestation_use.ts'
import type { Caller } from '../caller/caller.ts'
import { requireBasis } from '../caller/link_basis.ts'
import { approvesOtherwise, requireVotesWithinSession, requireWithinSession } from '../caller/proxy_sessions.ts'
import { apiKeyOf } from '../caller/read_stamp.ts'
import type { Reading, RequestContext } from '../caller/request_context.ts'
import { approvalsIn } from '../rules/approvals.ts'
import { isRepeated, mfaFor } from '../rules/mfa_steps.ts'
import { preparedRequestOf, type requestOf, requireScopeFor } from '../rules/request_of_activity.ts'
import { type Ruling, rule } from '../rules/rules.ts'
import { heldApprovals, isSubmitter, isVoter, userOfVote } from '../rules/voters.ts'
import type { Changes } from '../state/draft.ts'
import { IntegrityError } from '../state/evidence.ts'
import type { KnownActivity } from '../state/known_activity.ts'
import { requireOnBooks } from '../state/on_books.ts'
import type { Organization } from '../state/organization.ts'
import { readerOf } from '../state/organization_reader.ts'
import { type ResolvedNeeds, resolveNeeds } from '../state/resolve.ts'
import { bodyOf, messageOf, openActivity, submissionOf } from '../state/sealed_activity.ts'
import { asksForAppProofs } from './app_proofs.ts'
import { type Move, moveOf } from './decide/move.ts'
import { turnOf } from './decide/turn.ts'
import { type ChangeSource, changeRecords, execute } from './execute.ts'
import { noticesOf, prepareOutcomeNotice } from './notices.ts'
import { commitActivity, show, voteOf, withEvaluations } from './record_activity.ts'
import { notVoter, refusalOfVote } from './refusals.ts'
import { type Decided, requireWritable } from './release.ts'
import { turnFacts } from './turn_facts.ts'

type Voting = {
  readonly target: Organization
  readonly caller: Caller
  readonly selection: Vote['selection']
}

/** Casts a vote by approve_activity or reject_activity. */
export async function castVoteByFingerprint(
  context: RequestContext,
  { fingerprint, ...voting }: Voting & { readonly fingerprint: string },
): Promise<Decided> {
  const known = findByFingerprint(context, voting.target.head.organizationId, fingerprint)
  if (known === undefined) throw new Failure('ACTIVITY_NOT_FOUND')
  return castVote(context, { ...voting, known })
}

/** Finds an activity that waits for votes, or that waited for them, by its fingerprint. */
export function findByFingerprint(
  context: Reading,
  organizationId: string,
  fingerprint: string,
): KnownActivity | undefined {
  const { evidence, services } = context
  const lookup = { organizationId, lookup: 'fingerprint', key: fingerprint } as const
  const activities = evidence
    .find({ read: 'lookup', ...lookup })
    .rows.filter(({ kind }) => kind === 'activity')
    .map(({ recordId }) => {
      const { row } = evidence.find({ read: 'activity', organizationId, activityId: recordId })
      return row && { activity: openActivity(services.seals, organizationId, row), version: row.version }
    })
  const found = activities.find((found) => found?.activity.fingerprint === fingerprint)
  if (found !== undefined) requireOnBooks(context, found.activity)
  return found
}

/**
 * Adds the caller's vote. The last approval that is needed runs the activity; one rejection by a voter ends it. Where
 * an MFA policy applies, each approval is a step of that policy. The answer shows the activity after the vote.
 */
export async function castVote(
  context: RequestContext,
  { target, caller, selection, known }: Voting & { readonly known: KnownActivity },
): Promise<Decided> {
  const { nowMs } = context
  const { activity } = known
  await requireScopeFor(context, { target, caller }, activity)
  const vote = voteOf(context, caller, selection)
  if (isFinal(activity.status)) {
    if (!isRepeated(activity, vote) && caller.attested !== undefined) throw credentialNeeded()
    if (!isSubmitter(activity, caller) && !isVoter(activity, { organization: target, caller })) throw notVoter()
    return show(context, { target, caller }, activity)
  }

  const { organizationId } = activity
  context.decisionCounts.votesOn(() => countKeyOf(organizationId, submittedKeyOf(activity)))
  const own = [maybe('pending_activity', activity.activityId), ...attestationReads(caller)]
  const resolved = resolveNeeds(context, target, own)
  requirePending(resolved, known)
  const { userId: submitterId } = submissionOf(activity)
  const request = await preparedRequestOf(context, target, activity, [...own, maybe('user', submitterId)])
  const place = { organization: target, nowMs }
  const mfa = mfaFor(activity, place, request.facts)
  const owesStep = mfa.of(caller.user.userId, activity.votes)?.due !== undefined
  const isOnlyStep = owesStep && approvesOtherwise(vote, heldApprovals(activity, place))
  if (selection === 'VOTE_SELECTION_APPROVED' && !isOnlyStep) {
    requireWithinSession(context, caller, request.bound.operation)
  }
  // The current rules apply to the request as it was submitted.
  const rulingOn = (approvals: readonly Vote[]) =>
    rule({
      ...request,
      organization: target,
      submitterId,
      approvals: approvalsIn(target, approvals),
      nowMs,
      pause: context.pause,
    })
  const before = mfa.counted(activity.votes)
  const rulingBefore = await rulingOn(before)
  const { voterIds } = rulingBefore
  const turn = turnOf(turnFacts({ target, caller, activity, vote, mfa, before, voterIds }))
  if (turn !== 'counts' && turn !== 'countsIfLast' && turn !== 'repeats') {
    throw refusalOfVote(turn, mfa.of(caller.user.userId, activity.votes))
  }
  const votes = [...activity.votes, vote]
  const approvals = mfa.counted(votes)
  const rulingWith = lazily(() => rulingOn(approvals))
  const changesNothing = turn === 'repeats' || (turn === 'countsIfLast' && (await rulingWith()).kind !== 'allow')
  if (changesNothing) return show(context, { target, caller }, asVoterSees(activity, caller))
  if (context.request.isTrial === true) return { kind: 'allowed' }
  requireWritable(context.services.books)

  const ruling = await rulingWith()
  const voted: Activity = {
    ...activity,
    votes: [...activity.votes, withEvaluations(vote, ruling)],
    // Who was asked stays so: a closed policy may open again, and users who could vote learn how the activity ended.
    voterIds: [...new Set([...(activity.voterIds ?? []), ...rulingBefore.voterIds, ...ruling.voterIds])],
    provingIds: mfa.provingIds(votes),
    updatedAtMs: nowMs,
  }
  return recordVote(context, { target, caller, resolved, request, ruling, approvals, known, voted })
}

type RuledVote = {
  readonly target: Organization
  readonly caller: Caller
  /** The activity's own records. They are there also when a record that its request names is gone. */
  readonly resolved: ResolvedNeeds
  readonly request: ReturnType<typeof requestOf>
  readonly ruling: Ruling
  /** The approvals that are counted. */
  readonly approvals: readonly Vote[]
  /** The activity before the vote, and with it. */
  readonly known: KnownActivity
  readonly voted: Activity
}

/** Returns the commit of the activity's next version. */
async function recordVote(context: RequestContext, ruled: RuledVote): Promise<Decided> {
  const { target, caller, resolved, known, voted } = ruled
  const { organizationId } = voted
  const requestKey = submittedKeyOf(voted)
  context.evidence.rely({ of: 'request', organizationId, requestKey, version: known.version })
  const version = known.version + 1
  const source = { caller, resolved, changeKey: () => changeKeyOf({ organizationId, requestKey, version }) }
  const move = moveOf({
    ...{ isSubmission: false, isOfParent: false, submitterOwes: !isProved(voted), ruling: ruled.ruling.kind },
    isRejection: voted.votes.at(-1)?.selection === 'VOTE_SELECTION_REJECTED',
  })
  if (move !== 'waits') await prepareOutcomeNotice(context, { target, activity: voted })
  const ended = await endOf(context, ruled, move, source, version)
  const shown = asVoterSees(ended.activity, caller)
  const statusBefore = known.activity.status
  const notices = await noticesOf(context, { target, activity: ended.activity, statusBefore })
  return commitActivity(context, { target, caller, requestKey, version, statusBefore, shown, notices, ...ended })
}

/** The key of the request that submitted the activity. */
function submittedKeyOf(activity: Activity): string {
  return requestKeyOf(Number(bodyOf(activity).timestampMs), activity.fingerprint)
}

/** A voter who still owes steps of an MFA policy sees that these steps are missing. */
function asVoterSees(activity: Activity, caller: Caller): Activity {
  const owesStep = activity.provingIds?.includes(caller.user.userId) === true
  return isFinal(activity.status) || !owesStep
    ? activity
    : { ...activity, status: 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED' }
}

/** Whether the submitter owes no step of an MFA policy. */
function isProved(activity: Activity): boolean {
  return activity.provingIds?.includes(submissionOf(activity).userId) !== true
}

/** Returns the activity after a vote, and what the vote changes. */
async function endOf(
  context: RequestContext,
  ruled: RuledVote,
  move: Move,
  source: ChangeSource,
  version: number,
): Promise<{ readonly activity: Activity; readonly changes: Changes }> {
  const { voted } = ruled
  const { activityId } = voted
  const removed = () => changeRecords(context, source, (writer) => writer.pendingActivities.remove(activityId))
  if (move === 'rejects') {
    return {
      activity: { ...voted, status: transition(voted.status, 'ACTIVITY_STATUS_REJECTED') },
      changes: await removed(),
    }
  }
  if (move === 'waits') {
    const changes = await changeRecords(context, source, ({ pendingActivities }) => {
      const pending = pendingActivities.get(activityId)
      pendingActivities.put({ ...pending, activityVersion: version })
    })
    return { activity: { ...voted, status: waitingStatus(voted.status, { isProved: isProved(voted) }) }, changes }
  }
  try {
    return await run(context, ruled, source)
  } catch (error) {
    // The vote is not taken, and the activity goes on waiting. Else others could end it by using up a budget of mails.
    if (!(error instanceof Failure) || error.isPassing) throw error
    return { activity: failed(voted, error), changes: await removed() }
  }
}

function waitingStatus(status: ActivityStatus, { isProved }: { readonly isProved: boolean }): ActivityStatus {
  const next = isProved ? 'ACTIVITY_STATUS_CONSENSUS_NEEDED' : 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'
  return status === next ? status : transition(status, next)
}

function failed(voted: Activity, error: Failure): Activity {
  const { code, message, details } = errorAnswer(error)
  return { ...voted, status: transition(voted.status, 'ACTIVITY_STATUS_FAILED'), failure: { code, message, details } }
}

/** Runs the activity's own request with the organization as it is now. */
async function run(context: RequestContext, ruled: RuledVote, { caller, changeKey }: ChangeSource) {
  const { target, request, approvals, voted: activity } = ruled
  const { bound } = request
  await bound.check(context.pause)
  const user = userOfVote(target, submissionOf(activity))
  if (user === undefined) throw new Failure('NOT_FOUND', 'the user who submitted this activity is gone')
  requireBasis(context, user, apiKeyOf({ user, stamp: submissionOf(activity) }) ?? {})
  const held = heldApprovals(activity, { organization: target, nowMs: context.nowMs })
  const votes = [submissionOf(activity), ...approvals]
  requireVotesWithinSession(context, { organization: target, votes, held }, bound.operation)
  const executed = await execute(context, {
    ...request.toRun(),
    caller,
    changeKey,
    activity,
    bound,
    target,
    approvals,
    submitter: { user, organization: target },
    asksForAppProofs: activity.votes.some((vote) => asksForAppProofs(messageOf(vote))),
  })
  if (executed.kind === 'completed') return executed
  // The changes of a refusal are written here too. Otherwise votes would allow passcodes to be guessed without end.
  return { activity: failed(activity, executed.failure), changes: executed.changes }
}

/** Throws unless the head says that the activity waits in this version: an older one was put back. */
function requirePending(resolved: ResolvedNeeds, { activity, version }: KnownActivity): void {
  const { activityId, organizationId } = activity
  if (readerOf(resolved).pendingActivities.find(activityId)?.activityVersion === version) return
  throw new IntegrityError(`organization ${organizationId}: activity ${activityId} does not wait in version ${version}`)
}
