import { type Activity, isFinal, transition, type Vote } from '../operations/activity.ts'
import type { OrganizationWriter } from '../operations/define.ts'
import { maybe, type Need, user } from '../operations/needs.ts'
import { readParameters } from '../operations/parameters.ts'
import { errorAnswer, Failure } from '../protocol/failures.ts'
import { requestKeyOf } from '../protocol/fingerprint.ts'
import { bodyOf, openActivity, operationOfActivity } from './activity.ts'
import { asksForAppProofs, withAppProofs } from './app_proofs.ts'
import { approvalsIn } from './approvals.ts'
import type { Caller } from './caller.ts'
import { IntegrityError } from './evidence.ts'
import type { Organization } from './organization.ts'
import { readerOf } from './reader.ts'
import { commitActivity, show, voteOf } from './record_activity.ts'
import type { KnownActivity } from './recorded.ts'
import { type ResolvedNeeds, resolveNeeds } from './resolve.ts'
import { conditionFacts, type Ruling, rule } from './rules.ts'
import { type Changes, changeRecords, runOperation, verifyOidcTokens } from './run_operation.ts'
import { requireScope } from './session_scope.ts'
import { factsOf, type Situation, sourcesOf } from './situation.ts'
import type { VaultAnswer } from './verbs.ts'
import { approvalsOf, hasApproved, isVoter } from './voters.ts'

type Voting = {
  readonly target: Organization
  readonly caller: Caller
  readonly selection: Vote['selection']
}

/** A vote by approve_activity or reject_activity. */
export async function castVoteByFingerprint(
  situation: Situation,
  { fingerprint, ...voting }: Voting & { readonly fingerprint: string },
): Promise<VaultAnswer> {
  const known = findByFingerprint(situation, voting.target.head.organizationId, fingerprint)
  if (known === undefined) throw new Failure('ACTIVITY_NOT_FOUND')
  return castVote(situation, { ...voting, known })
}

/** An activity that waited for votes. */
export function findByFingerprint(
  { evidence, means }: Situation,
  organizationId: string,
  fingerprint: string,
): KnownActivity | undefined {
  const lookup = { organizationId, lookup: 'fingerprint', key: fingerprint } as const
  const activities = evidence
    .find({ read: 'lookup', ...lookup })
    .rows.filter(({ kind }) => kind === 'activity')
    .map(({ recordId }) => {
      const { row } = evidence.find({ read: 'activity', organizationId, activityId: recordId })
      return row && { activity: openActivity(means.seals, organizationId, row), version: row.version }
    })
  return activities.find((found) => found?.activity.fingerprint === fingerprint)
}

/**
 * Adds the caller's vote. The last approval that is needed runs the activity; one rejection by a member of the quorum
 * ends it. The answer is the activity as it is then.
 */
export async function castVote(
  situation: Situation,
  { target, caller, selection, known }: Voting & { readonly known: KnownActivity },
): Promise<VaultAnswer> {
  const { nowMs } = situation
  const { activity, version } = known
  await requireScopeFor(situation, { target, caller }, activity)
  if (isFinal(activity.status)) {
    requireVoter(activity, { organization: target, caller })
    return show(situation, { target, caller }, activity)
  }

  const pendingNeed = maybe('pending_activity', activity.activityId)
  const resolved = await resolveNeeds(sourcesOf(situation), target, [pendingNeed])
  requirePending(resolved, known)
  const place = { organization: target, nowMs }
  const ruled = await rulerOf(situation, target, activity)
  const before = ruled(approvalsOf(activity, place))
  requireVoter({ ...activity, voterIds: before.voterIds }, { organization: target, caller })
  const changes =
    selection === 'VOTE_SELECTION_REJECTED' || before.kind === 'allow' || !hasApproved(caller, activity, place)
  if (!changes) return show(situation, { target, caller }, activity)

  const requestKey = requestKeyOf(Number(bodyOf(activity).timestampMs), activity.fingerprint)
  const { organizationId } = activity
  situation.evidence.rely({ of: 'request', organizationId, requestKey, version })
  const vote = voteOf(situation, caller, { selection, evaluations: [] })
  const ruling = ruled(approvalsOf({ organizationId, votes: [...activity.votes, vote] }, place))
  const { evaluations } = ruling
  const voted: Activity = {
    ...activity,
    votes: [...activity.votes, { ...vote, ...(evaluations.length === 0 ? {} : { evaluations }) }],
    // Once it has ended, those who could vote until then still learn how.
    voterIds: ruling.kind === 'consensus' ? ruling.voterIds : before.voterIds,
    updatedAtMs: nowMs,
  }
  const ended = await endOf(situation, { target, resolved, pendingNeed, version }, voted, ruling)
  return commitActivity(situation, { target, caller, requestKey, version: version + 1, ...ended })
}

/**
 * What the rules say of an activity that waits, by the approvals that count. They are the rules of now, about the
 * request as it was.
 */
async function rulerOf(
  situation: Situation,
  target: Organization,
  activity: Activity,
): Promise<(approvals: readonly Vote[]) => Ruling> {
  const submitterId = activity.votes[0]?.userId ?? ''
  const { nowMs } = situation
  const asked = { ...(await requestOf(situation, target, activity)), organization: target, submitterId, nowMs }
  return (votes) => rule({ ...asked, ownerId: undefined, approvals: approvalsIn(target, votes) })
}

/** Refuses a session whose scope does not allow this activity, which it sees or votes on. */
export async function requireScopeFor(
  situation: Situation,
  { target, caller }: Pick<Voting, 'target' | 'caller'>,
  activity: Activity,
): Promise<void> {
  if (caller.sessionProfileId === undefined) return
  const request = await requestOf(situation, target, activity)
  await requireScope(caller, { open: sourcesOf(situation).open, facts: () => conditionFacts(request) })
}

/** What was asked for. Where something that it names is gone, conditions see less of it. */
async function requestOf(situation: Situation, target: Organization, activity: Activity) {
  const { operation, accepted } = operationOfActivity(activity)
  const parameters = readParameters(accepted, bodyOf(activity).parameters)
  const reader = await readerIfThere(situation, target, operation.reads(parameters as never, activity.organizationId))
  return { operation, type: accepted.type, parameters, reader }
}

async function readerIfThere(situation: Situation, target: Organization, needs: readonly Need[]) {
  try {
    return readerOf(await resolveNeeds(sourcesOf(situation), target, needs))
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

type Ended = { readonly activity: Activity; readonly changes: Changes }
type VotePlace = {
  readonly target: Organization
  readonly resolved: ResolvedNeeds
  readonly pendingNeed: Need
  readonly version: number
}

/** Where the activity stands after a vote. */
async function endOf(situation: Situation, place: VotePlace, voted: Activity, ruling: Ruling): Promise<Ended> {
  const { resolved, version } = place
  const { activityId, votes } = voted
  const removed = () => changeRecords(situation, resolved, (writer) => writer.pendingActivities.remove(activityId))
  if (votes.at(-1)?.selection === 'VOTE_SELECTION_REJECTED') {
    return { activity: { ...voted, status: transition(voted.status, 'ACTIVITY_STATUS_REJECTED') }, changes: removed() }
  }
  if (ruling.kind !== 'allow') {
    const changes = changeRecords(situation, resolved, (writer) => {
      const pending = writer.pendingActivities.get(activityId)
      writer.pendingActivities.put({ ...pending, activityVersion: version + 1, updatedAtMs: situation.nowMs })
    })
    return { activity: voted, changes }
  }
  try {
    return await run(situation, place, voted)
  } catch (error) {
    // An issuer that cannot be asked now can be later: the vote is not taken, and the activity goes on waiting.
    if (!(error instanceof Failure) || error.code === 'UNAVAILABLE') throw error
    return { activity: failed(voted, error), changes: removed() }
  }
}

function failed(voted: Activity, error: Failure): Activity {
  const { code, message, details } = errorAnswer(error)
  return { ...voted, status: transition(voted.status, 'ACTIVITY_STATUS_FAILED'), failure: { code, message, details } }
}

/** The activity's own request, decided with the organization as it is now. */
async function run(situation: Situation, { target, pendingNeed }: VotePlace, voted: Activity): Promise<Ended> {
  const { nowMs } = situation
  const { operation, accepted } = operationOfActivity(voted)
  const parameters = readParameters(accepted, bodyOf(voted).parameters)
  operation.check(parameters as never)
  const submitter = target.listed('user', voted.votes[0]?.userId ?? '')
  if (submitter === undefined)
    throw new Failure('NOT_FOUND', { reason: 'the user who submitted this activity is gone' })
  const needs = [
    ...operation.reads(parameters as never, target.head.organizationId),
    user(submitter.userId),
    pendingNeed,
  ]
  const resolved = await resolveNeeds(sourcesOf(situation), target, needs)
  const oidcIdentity = await verifyOidcTokens(situation, operation, { parameters, submittedAtMs: voted.createdAtMs })
  const removePending = (writer: OrganizationWriter) => writer.pendingActivities.remove(voted.activityId)
  const outcome = await runOperation(situation, {
    operation,
    parameters,
    oidcIdentity,
    resolved,
    caller: factsOf({ user: submitter, organization: target }),
    alsoChange: removePending,
    alsoOnRefusal: removePending,
  })
  // What a refusal writes counts here too: with votes, passcodes could be guessed without end otherwise.
  if (outcome.kind === 'refusal') return { activity: failed(voted, outcome.failure), changes: outcome.changes }
  const status = transition(voted.status, 'ACTIVITY_STATUS_COMPLETED')
  const completed = { ...voted, status, result: { [accepted.resultKey]: accepted.downgrade(outcome.result as never) } }
  if (!voted.votes.some(({ message }) => asksForAppProofs(JSON.parse(message)))) {
    return { activity: completed, changes: outcome.changes }
  }
  const made = { parameters, result: outcome.result }
  const approvals = approvalsOf(voted, { organization: target, nowMs })
  const activity = await withAppProofs(situation, completed, { operation, target, made, approvals })
  return { activity, changes: outcome.changes }
}

function requireVoter(...asked: Parameters<typeof isVoter>): void {
  if (isVoter(...asked)) return
  throw new Failure('FORBIDDEN', {
    reason: 'this activity was submitted by another user, and you are not one of its voters',
  })
}

/** The head says which activities wait, and in which version: an older one was put back. */
function requirePending(resolved: ResolvedNeeds, { activity, version }: KnownActivity): void {
  const { activityId, organizationId } = activity
  if (readerOf(resolved).pendingActivities.find(activityId)?.activityVersion === version) return
  throw new IntegrityError(`organization ${organizationId}: activity ${activityId} does not wait in version ${version}`)
}
