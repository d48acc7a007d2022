import { type AcceptedType, type ActivityOperation, signs } from '../../operations/define.ts'
import { readParameters } from '../../operations/fields/parameters.ts'
import type { Limits } from '../../operations/limits.ts'
import { type Need, user } from '../../operations/needs.ts'
import { type Activity, transition } from '../../operations/records/activity.ts'
import type { Denied } from '../../policy/decide.ts'
import type { Struct } from '../../policy/language/values.ts'
import type { Commit } from '../../protocol/reads.ts'
import { errorAnswer, Failure } from '../../protocol/wire/failures.ts'
import { fingerprintOf, requestKeyOf } from '../../protocol/wire/fingerprint.ts'
import { type JsonObject, jsonBytes } from '../../protocol/wire/json.ts'
import { changeKeyOf, countKeyOf } from '../books/entry_names.ts'
import { attestationReads, useAttestation } from '../caller/attestation_use.ts'
import type { Caller } from '../caller/caller.ts'
import { readEnvelope, requireFresh } from '../caller/envelope.ts'
import { callerFactsOf, identify, type RequestContext, readStamp, sourcesOf } from '../caller/request_context.ts'
import { mayRead, requireScope } from '../caller/session_scope.ts'
import type { Spent } from '../rules/count_spending.ts'
import { applyingTo, type MfaState, mfaStateOf, stepDue } from '../rules/mfa_steps.ts'
import { requireScopeFor } from '../rules/request_of_activity.ts'
import { type Ruling, rule, seenOf } from '../rules/rules.ts'
import { isSubmitter } from '../rules/voters.ts'
import { type Organization, openEvenDeleted } from '../state/organization.ts'
import { readerOf } from '../state/organization_reader.ts'
import { type ResolvedNeeds, resolveNeeds } from '../state/resolve.ts'
import { asksForAppProofs, openParent, withAppProofs } from './app_proofs.ts'
import { showDeletion } from './deleted_organization.ts'
import { findKnownActivity } from './known_activity.ts'
import { commitActivity, show, voteOf, withEvaluations } from './record_activity.ts'
import { type Decided, requireWritable } from './release.ts'
import { type Changes, changeRecords, type OidcIdentities, runOperation, verifyOidcTokens } from './run_operation.ts'
import { castVote, castVoteByFingerprint } from './vote.ts'

/** Decides the request of an activity operation: makes a new activity, shows an existing one or casts a vote. */
export async function submitActivity(
  context: RequestContext,
  operation: ActivityOperation,
  body: JsonObject,
): Promise<Decided> {
  const { nowMs, tally } = context
  const envelope = readEnvelope(operation, body)
  const stamp = await readStamp(context)
  const named = await openEvenDeleted(sourcesOf(context), envelope.organizationId)
  if (named === undefined) throw new Failure('ORGANIZATION_NOT_FOUND')
  if (named.head.deletedAtMs !== undefined) {
    return showDeletion(context, { operation, envelope, organization: named })
  }
  const caller = await identify(context, { operation, target: named, stamp })
  // If the parent's id stood for a sub-organization, that sub-organization is the target from here on.
  const target = caller.organization.head.parentId === named.head.organizationId ? caller.organization : named
  const { organizationId } = target.head

  const fingerprint = fingerprintOf(context.request.body)
  const requestKey = requestKeyOf(envelope.timestampMs, fingerprint)
  tally.begin(() => countKeyOf(organizationId, requestKey))

  if (operation.casts !== undefined) {
    requireFresh(envelope.timestampMs, nowMs)
    const named = readParameters(envelope.accepted, envelope.parameters) as { readonly fingerprint: string }
    return castVoteByFingerprint(context, { target, caller, ...named, selection: operation.casts })
  }

  const known = findKnownActivity(context, { organizationId, requestKey, fingerprint })
  if (known !== undefined && isSubmitter(known.activity, caller)) {
    await requireScopeFor(context, { target, caller }, known.activity)
    return show(context, { target, caller }, known.activity)
  }
  requireFresh(envelope.timestampMs, nowMs)
  // Another user's copy of the bytes is that user's approval.
  if (known !== undefined) return castVote(context, { target, caller, known, selection: 'VOTE_SELECTION_APPROVED' })
  requireSameOrganization(operation, target, caller)

  const parameters = readParameters(envelope.accepted, envelope.parameters)
  operation.check(parameters as never)
  const needs = [...operation.needs(parameters as never, organizationId), ...callerNeeds(target, caller)]
  const resolved = await resolveNeeds(sourcesOf(context), target, needs)
  const { accepted } = envelope
  const { type } = accepted
  const reader = readerOf(resolved)
  const { facts, spent } = seenOf({ target, operation, type, parameters, reader }, context)
  await requireScope(caller, { open: sourcesOf(context).open, facts })
  const ruling = ruleSubmission(context, operation, { parameters, target, caller, facts, spent })
  if (ruling.kind === 'deny') throw await denied(context, caller, ruling)
  const stamps = [{ method: caller.method, publicKey: caller.stamp.publicKey }]
  const mfa = mfaStateOf(caller.user, stamps, applyingTo(facts))
  if (mfa?.due !== undefined && isOfParent(target, caller)) throw stepDue(mfa, ', and nobody can vote on this here')
  const submission: Submission = { operation, accepted, body, fingerprint, requestKey, target, caller, ruling, mfa }
  if (context.request.isTrial === true) return { kind: 'allowed' }
  if (!signs(operation)) requireWritable(context.services.books)
  // The tokens of an activity that is going to wait are verified too: they may have expired when it runs.
  const oidcIdentity = await verifyOidcTokens(context, operation, { parameters, submittedAtMs: nowMs })
  if (ruling.kind === 'allow' && mfa?.due === undefined) {
    return complete(context, submission, { parameters, facts, oidcIdentity, resolved })
  }
  // This throws if conditions cannot read the request: nobody should be asked to vote on that. Without policies,
  // nothing has tried to read it yet.
  facts()
  return wait(context, submission, resolved)
}

/** What is read for the caller. An operation, such as a login, may change the user who asks for it. */
function callerNeeds(target: Organization, caller: Caller): readonly Need[] {
  return [...(isOfParent(target, caller) ? [] : [user(caller.user.userId)]), ...attestationReads(caller)]
}

function isOfParent(target: Organization, { organization }: Caller): boolean {
  return organization.head.organizationId !== target.head.organizationId
}

type Submission = {
  readonly operation: ActivityOperation
  readonly accepted: AcceptedType
  readonly body: JsonObject
  readonly fingerprint: string
  readonly requestKey: string
  readonly target: Organization
  readonly caller: Caller
  readonly ruling: Ruling
  readonly mfa: MfaState | undefined
}

function ruleSubmission(
  { nowMs }: RequestContext,
  operation: ActivityOperation,
  {
    parameters,
    target,
    caller,
    facts,
    spent,
  }: Pick<Submission, 'target' | 'caller'> & {
    readonly parameters: unknown
    readonly facts: () => Struct
    readonly spent: Spent
  },
): Ruling {
  const { user, stamp, organization } = caller
  const submitterId = user.userId
  const ownerId = operation.ownerOf(parameters as never, submitterId)
  const approvals = [{ user, publicKey: stamp.publicKey }]
  // A user of the parent may submit only what logs users in. The parent decides about that, by its own rules.
  const ruling = rule({ organization, operation, facts, spent, approvals, submitterId, ownerId, nowMs })
  return isOfParent(target, caller) && ruling.kind === 'consensus' ? nobodyVotes(ruling) : ruling
}

/** Names the rule that denied the request. A caller who may read the rules also gets each deciding clause. */
async function denied(context: RequestContext, caller: Caller, ruling: Ruling & Denied): Promise<Failure> {
  const { reason, evaluations } = ruling
  const isReader = await mayRead(caller, sourcesOf(context))
  const explanations = isReader ? ruling.explanations() : []
  const explained = evaluations.map((evaluation, index) => ({
    ...evaluation,
    explanation: explanations[index]?.because,
  }))
  return new Failure('FORBIDDEN', { denied: { reason, evaluations: isReader ? explained : evaluations } })
}

/**
 * Denies a request that would have to wait for votes. Only the organization's own users vote. They must not decide for
 * the parent, nor the parent for them.
 */
function nobodyVotes(ruling: Ruling): Ruling {
  const reason = 'the rules of the parent ask for more than one approval, and nobody can vote on this here'
  return { ...ruling, kind: 'deny', reason, voterIds: [] }
}

/** The change key of the first version of the activity. */
function changeKeyIn({ target, requestKey }: Pick<Submission, 'target' | 'requestKey'>): () => string {
  return () => changeKeyOf({ organizationId: target.head.organizationId, requestKey, version: 1 })
}

async function complete(
  context: RequestContext,
  submission: Submission,
  run: {
    readonly parameters: unknown
    readonly facts: () => Struct
    readonly oidcIdentity: OidcIdentities
    readonly resolved: ResolvedNeeds
  },
): Promise<Decided> {
  const { operation, accepted, body, target, caller, requestKey } = submission
  if (asksForAppProofs(body)) await openParent(context, target)
  const outcome = await runOperation(context, {
    ...run,
    operation,
    caller: callerFactsOf(caller),
    changeKey: changeKeyIn(submission),
    alsoChange: useAttestation(caller, context.nowMs),
  })
  if (outcome.kind === 'refusal') return refuseRecorded(context, outcome)
  const made = { parameters: run.parameters, result: outcome.result }
  const completed = newActivity(context, submission, {
    activityId: context.services.newId(),
    status: transition('ACTIVITY_STATUS_CREATED', 'ACTIVITY_STATUS_COMPLETED'),
    result: { [accepted.resultKey]: accepted.downgrade(outcome.result as never) },
  })
  const activity = asksForAppProofs(body)
    ? await withAppProofs(context, completed, { operation, target, made, approvals: completed.votes })
    : completed
  return commitActivity(context, { target, caller, activity, requestKey, version: 1, changes: outcome.changes })
}

/** Stores the activity without running it, until its submitter has taken all MFA steps and enough others approve. */
async function wait(context: RequestContext, submission: Submission, resolved: ResolvedNeeds): Promise<Decided> {
  const { nowMs, services } = context
  const { target, caller, requestKey, fingerprint, ruling, mfa } = submission
  const { voterIds } = ruling
  const owesStep = mfa?.due !== undefined
  const pendingMax = pendingMaxFor(submission, services.limits)
  const activityId = services.newId()
  const changes = changeRecords(context, { resolved, changeKey: changeKeyIn(submission) }, (writer) => {
    useAttestation(caller, nowMs)(writer)
    if (writer.pendingActivities.count() >= pendingMax) {
      throw new Failure('LIMIT_REACHED', {
        reason: `an organization has at most ${pendingMax} activities that wait for votes; reject some first`,
      })
    }
    writer.pendingActivities.add({ activityId, activityVersion: 1, createdAtMs: nowMs, updatedAtMs: nowMs })
  })
  const activity = newActivity(context, submission, {
    activityId,
    status: transition(
      'ACTIVITY_STATUS_CREATED',
      owesStep ? 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED' : 'ACTIVITY_STATUS_CONSENSUS_NEEDED',
    ),
    result: {},
    ...(owesStep ? { provingIds: [caller.user.userId] } : {}),
    ...(voterIds.length === 0 ? {} : { voterIds }),
  })
  const { organizationId } = activity
  const found = { change: 'add', organizationId, lookup: 'fingerprint', key: fingerprint } as const
  const lookups = [...changes.lookups, { ...found, kind: 'activity', recordId: activityId }]
  return commitActivity(context, {
    target,
    caller,
    activity,
    requestKey,
    version: 1,
    changes: { ...changes, lookups },
  })
}

/** A tenth is reserved for the root quorum: activities that others leave waiting must not keep it from acting. */
function pendingMaxFor({ target, caller }: Submission, { pendingActivitiesMax }: Limits): number {
  const isOfQuorum = target.head.rootQuorum.userIds.includes(caller.user.userId)
  return isOfQuorum ? pendingActivitiesMax : Math.floor(pendingActivitiesMax * 0.9)
}

function newActivity(
  context: RequestContext,
  { accepted, fingerprint, target, caller, ruling }: Submission,
  given: Pick<Activity, 'activityId' | 'status' | 'result' | 'voterIds' | 'provingIds'>,
): Activity {
  const { nowMs } = context
  return {
    ...given,
    organizationId: target.head.organizationId,
    type: accepted.type,
    fingerprint,
    votes: [withEvaluations(voteOf(context, caller, 'VOTE_SELECTION_APPROVED'), ruling)],
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
}

/** Makes no activity, but writes the changes of the refusal before the caller learns of it. */
function refuseRecorded(
  { evidence }: RequestContext,
  { failure, changes }: { readonly failure: Failure; readonly changes: Changes },
): Decided {
  const { made, additions, ...written } = changes
  const commit: Commit = { readSet: evidence.readSet(), ...written, activities: [] }
  const body = jsonBytes(errorAnswer(failure))
  return { kind: 'commit', status: failure.httpStatus, body, commit, made, additions, changeKey: undefined }
}

/** A parent reads its sub-organizations. Among activities, it may submit only those that log their users in there. */
function requireSameOrganization({ openToParent }: ActivityOperation, target: Organization, caller: Caller): void {
  const { organizationId } = target.head
  const callersId = caller.organization.head.organizationId
  if (organizationId === callersId) return
  if (openToParent && target.head.parentId === callersId) return
  throw new Failure('ORGANIZATION_MISMATCH', {
    reason: `request is targeting organization ("${organizationId}"), but voters are in organization ("${callersId}")`,
  })
}
