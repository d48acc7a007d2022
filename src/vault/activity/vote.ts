import type { OrganizationWriter } from '../../operations/define.ts'
import { readParameters } from '../../operations/fields/parameters.ts'
import { maybe, type Need, user } from '../../operations/needs.ts'
import {
  type Activity,
  type ActivityStatus,
  isFinal,
  transition,
  type Vote,
} from '../../operations/records/activity.ts'
import { errorAnswer, Failure } from '../../protocol/wire/failures.ts'
import { requestKeyOf } from '../../protocol/wire/fingerprint.ts'
import { changeKeyOf } from '../books/entry_names.ts'
import { attestationReads, requireCredential, useAttestation } from '../caller/attestation_use.ts'
import type { Caller } from '../caller/caller.ts'
import { callerFactsOf, type RequestContext, sourcesOf } from '../caller/request_context.ts'
import { approvalsIn } from '../rules/approvals.ts'
import { isRepeated, type Mfa, mfaFor, requireDueStep } from '../rules/mfa_steps.ts'
import { requestOf, requireScopeFor } from '../rules/request_of_activity.ts'
import { conditionFacts, type Ruling, rule } from '../rules/rules.ts'
import { isSubmitter, isVoter } from '../rules/voters.ts'
import { IntegrityError } from '../state/evidence.ts'
import { requireOnBooks } from '../state/on_books.ts'
import type { Organization } from '../state/organization.ts'
import { readerOf } from '../state/organization_reader.ts'
import { type ResolvedNeeds, resolveNeeds } from '../state/resolve.ts'
import { bodyOf, openActivity, operationOfActivity } from '../state/sealed_activity.ts'
import { asksForAppProofs, openParent, withAppProofs } from './app_proofs.ts'
import type { KnownActivity } from './known_activity.ts'
import { commitActivity, show, voteOf, withEvaluations } from './record_activity.ts'
import { type Decided, requireWritable } from './release.ts'
import { type Changes, changeRecords, runOperation, verifyOidcTokens } from './run_operation.ts'

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
  context: RequestContext,
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
  const { activity, version } = known
  await requireScopeFor(context, { target, caller }, activity)
  const vote = voteOf(context, caller, selection)
  if (isFinal(activity.status)) {
    if (!isRepeated(activity, vote)) requireCredential(caller)
    if (!isSubmitter(activity, caller)) requireVoter(activity, { organization: target, caller })
    return show(context, { target, caller }, activity)
  }

  const pendingNeed = maybe('pending_activity', activity.activityId)
  const resolved = await resolveNeeds(sourcesOf(context), target, [pendingNeed, ...attestationReads(caller)])
  requirePending(resolved, known)
  const request = await requestOf(context, target, activity)
  const mfa = mfaFor(activity, { organization: target, nowMs }, request.facts)
  const ruled = rulerOf({ request, target, activity, nowMs })
  const counted = mfa.counted(activity.votes)
  const before = ruled(counted)
  requireTurn(caller, { target, activity, vote, mfa, voterIds: before.voterIds })
  const hasApproved = counted.some(({ userId }) => userId === caller.user.userId)
  const isKnown = isRepeated(activity, vote) || (hasApproved && before.kind !== 'allow')
  if (selection === 'VOTE_SELECTION_APPROVED' && isKnown) {
    return show(context, { target, caller }, asVoterSees(activity, caller))
  }

  if (context.request.isTrial === true) return { kind: 'allowed' }
  requireWritable(context.services.books)
  const requestKey = requestKeyOf(Number(bodyOf(activity).timestampMs), activity.fingerprint)
  const { organizationId } = activity
  const changeKey = () => changeKeyOf({ organizationId, requestKey, version: version + 1 })
  // An unusable token is refused here, before the vote has any effect.
  changeRecords(context, { resolved, changeKey }, useAttestation(caller, nowMs))
  context.evidence.rely({ of: 'request', organizationId: activity.organizationId, requestKey, version })
  const votes = [...activity.votes, vote]
  const approvals = mfa.counted(votes)
  const ruling = ruled(approvals)
  const voted: Activity = {
    ...activity,
    votes: [...activity.votes, withEvaluations(vote, ruling)],
    // Once the activity has ended, the users who could vote before still learn how it ended.
    voterIds: ruling.kind === 'consensus' ? ruling.voterIds : before.voterIds,
    provingIds: mfa.provingIds(votes),
    updatedAtMs: nowMs,
  }
  const place = { target, caller, resolved, pendingNeed, version, approvals, changeKey }
  const ended = await endOf(context, place, voted, ruling)
  const shown = asVoterSees(ended.activity, caller)
  return commitActivity(context, { target, caller, requestKey, version: version + 1, shown, ...ended })
}

/** A voter who still owes steps of an MFA policy sees that these steps are missing. */
function asVoterSees(activity: Activity, caller: Caller): Activity {
  const owesStep = activity.provingIds?.includes(caller.user.userId) === true
  return isFinal(activity.status) || !owesStep
    ? activity
    : { ...activity, status: 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED' }
}

type Turn = {
  readonly target: Organization
  readonly activity: Activity
  readonly vote: Vote
  readonly mfa: Mfa
  readonly voterIds: readonly string[]
}

function requireTurn(caller: Caller, { target, activity, vote, mfa, voterIds }: Turn): void {
  const [submission] = activity.votes
  const isSubmittersTurn = submission && mfa.of(submission.userId, activity.votes)?.due !== undefined
  const provingIds = isSubmittersTurn ? [submission.userId] : []
  requireVoter({ ...activity, voterIds, provingIds }, { organization: target, caller })
  if (vote.selection === 'VOTE_SELECTION_REJECTED') requireCredential(caller)
  else if (!isRepeated(activity, vote)) requireDueStep(caller, { mfa, activity, vote })
}

/**
 * Returns a function that gives the ruling on a waiting activity for the approvals that count. It applies the
 * current rules to the request as it was submitted.
 */
function rulerOf({
  request,
  target,
  activity,
  nowMs,
}: {
  readonly request: Awaited<ReturnType<typeof requestOf>>
  readonly target: Organization
  readonly activity: Activity
  readonly nowMs: number
}): (approvals: readonly Vote[]) => Ruling {
  const submitterId = activity.votes[0]?.userId ?? ''
  const { operation, parameters, facts, spent } = request
  return (votes) => {
    // Submitters may change their own credentials without a rule only as long as their own approval counts.
    const isStoodBy = votes.some(({ userId }) => userId === submitterId)
    const ownerId = isStoodBy ? operation.ownerOf(parameters as never, submitterId) : undefined
    const approvals = approvalsIn(target, votes)
    return rule({ organization: target, operation, facts, spent, submitterId, ownerId, approvals, nowMs })
  }
}

type Ended = { readonly activity: Activity; readonly changes: Changes }
type VotePlace = {
  readonly target: Organization
  readonly resolved: ResolvedNeeds
  readonly pendingNeed: Need
  readonly version: number
  readonly caller: Caller
  readonly changeKey: () => string
  /** The approvals that are counted. */
  readonly approvals: readonly Vote[]
}

/** Returns the activity after a vote, and what the vote changes. */
async function endOf(context: RequestContext, place: VotePlace, voted: Activity, ruling: Ruling): Promise<Ended> {
  const { resolved, version, caller, changeKey } = place
  const { activityId, votes, provingIds = [] } = voted
  const change = (pending: (writer: OrganizationWriter) => void) =>
    changeRecords(context, { resolved, changeKey }, (writer) => {
      useAttestation(caller, context.nowMs)(writer)
      pending(writer)
    })
  const removed = () => change((writer) => writer.pendingActivities.remove(activityId))
  if (votes.at(-1)?.selection === 'VOTE_SELECTION_REJECTED') {
    return { activity: { ...voted, status: transition(voted.status, 'ACTIVITY_STATUS_REJECTED') }, changes: removed() }
  }
  const isProved = !provingIds.includes(votes[0]?.userId ?? '')
  if (ruling.kind !== 'allow' || !isProved) {
    const changes = change((writer) => {
      const pending = writer.pendingActivities.get(activityId)
      writer.pendingActivities.put({ ...pending, activityVersion: version + 1, updatedAtMs: context.nowMs })
    })
    return { activity: { ...voted, status: waitingStatus(voted.status, { isProved }) }, changes }
  }
  try {
    return await run(context, place, voted)
  } catch (error) {
    // An issuer that cannot be asked now can be asked later: the vote is not taken, and the activity goes on waiting.
    if (!(error instanceof Failure) || error.code === 'UNAVAILABLE') throw error
    return { activity: failed(voted, error), changes: removed() }
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
async function run(context: RequestContext, place: VotePlace, voted: Activity): Promise<Ended> {
  const { target, pendingNeed, caller, approvals, changeKey } = place
  const { operation, accepted } = operationOfActivity(voted)
  const parameters = readParameters(accepted, bodyOf(voted).parameters)
  operation.check(parameters as never)
  const submitter = target.listed('user', voted.votes[0]?.userId ?? '')
  if (submitter === undefined)
    throw new Failure('NOT_FOUND', { reason: 'the user who submitted this activity is gone' })
  const needs = [
    ...operation.needs(parameters as never, target.head.organizationId),
    user(submitter.userId),
    pendingNeed,
    ...attestationReads(caller),
  ]
  const resolved = await resolveNeeds(sourcesOf(context), target, needs)
  const asksForProofs = voted.votes.some(({ message }) => asksForAppProofs(JSON.parse(message)))
  if (asksForProofs) await openParent(context, target)
  const reader = readerOf(resolved)
  // The ruling on the votes tolerates a request that conditions cannot fully evaluate. Such a request is refused here.
  const facts = conditionFacts({ target, operation, type: accepted.type, parameters, reader })
  const oidcIdentity = await verifyOidcTokens(context, operation, { parameters, submittedAtMs: voted.createdAtMs })
  const removePending = (writer: OrganizationWriter) => {
    useAttestation(caller, context.nowMs)(writer)
    writer.pendingActivities.remove(voted.activityId)
  }
  const outcome = await runOperation(context, {
    operation,
    parameters,
    facts: () => facts,
    oidcIdentity,
    resolved,
    caller: callerFactsOf({ user: submitter, organization: target }),
    changeKey,
    alsoChange: removePending,
    alsoOnRefusal: removePending,
  })
  // The changes of a refusal are written here too. Otherwise votes would allow passcodes to be guessed without end.
  if (outcome.kind === 'refusal') return { activity: failed(voted, outcome.failure), changes: outcome.changes }
  const status = transition(voted.status, 'ACTIVITY_STATUS_COMPLETED')
  const completed = { ...voted, status, result: { [accepted.resultKey]: accepted.downgrade(outcome.result as never) } }
  if (!asksForProofs) {
    return { activity: completed, changes: outcome.changes }
  }
  const made = { parameters, result: outcome.result }
  const activity = await withAppProofs(context, completed, { operation, target, made, approvals })
  return { activity, changes: outcome.changes }
}

function requireVoter(...asked: Parameters<typeof isVoter>): void {
  if (isVoter(...asked)) return
  throw new Failure('FORBIDDEN', {
    reason: 'this activity was submitted by another user, and you are not one of its voters',
  })
}

/** Throws unless the head says that the activity waits in this version: an older one was put back. */
function requirePending(resolved: ResolvedNeeds, { activity, version }: KnownActivity): void {
  const { activityId, organizationId } = activity
  if (readerOf(resolved).pendingActivities.find(activityId)?.activityVersion === version) return
  throw new IntegrityError(`organization ${organizationId}: activity ${activityId} does not wait in version ${version}`)
}
