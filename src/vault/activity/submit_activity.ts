import { type Need, user } from '../../operations/needs.ts'
import { type ActivityOperation, type BoundActivity, signs } from '../../operations/operation.ts'
import { type Activity, transition } from '../../operations/records/activity.ts'
import type { Struct } from '../../policy/language/values.ts'
import type { Commit } from '../../protocol/reads.ts'
import { errorAnswer, Failure } from '../../protocol/wire/failures.ts'
import { requestKeyOf } from '../../protocol/wire/fingerprint.ts'
import { type JsonObject, jsonBytes } from '../../protocol/wire/json.ts'
import { changeKeyOf, countKeyOf } from '../books/entry_names.ts'
import { requireAllowedSource } from '../caller/allowed_source.ts'
import { attestationReads } from '../caller/attestation_use.ts'
import type { Caller } from '../caller/caller.ts'
import { type Envelope, readEnvelope, requireFresh } from '../caller/envelope.ts'
import { requireWithinSession } from '../caller/proxy_sessions.ts'
import type { Stamp } from '../caller/read_stamp.ts'
import { identify, type Reading, type RequestContext, readStamp } from '../caller/request_context.ts'
import { requireScope } from '../caller/session_scope.ts'
import { applyingTo, mfaStateOf } from '../rules/mfa_steps.ts'
import { requireScopeFor } from '../rules/request_of_activity.ts'
import { asksFacts, prepare, type Ruling, rule, type SeenRequest, seenOf } from '../rules/rules.ts'
import { isSubmitter } from '../rules/voters.ts'
import type { Changes } from '../state/draft.ts'
import { findKnownActivity } from '../state/known_activity.ts'
import { type Organization, openEvenDeleted } from '../state/organization.ts'
import { readerOf } from '../state/organization_reader.ts'
import { type ResolvedNeeds, resolveNeeds } from '../state/resolve.ts'
import { submissionOf } from '../state/sealed_activity.ts'
import { asksForAppProofs } from './app_proofs.ts'
import { moveOf } from './decide/move.ts'
import { showDeletion } from './deleted_organization.ts'
import { type ChangeSource, changeRecords, execute } from './execute.ts'
import { noticesOf } from './notices.ts'
import { verifyOidcTokens } from './oidc_identities.ts'
import { commitActivity, show, voteOf, withEvaluations } from './record_activity.ts'
import { recordedCaller } from './recorded_caller.ts'
import { refusalOfSubmission } from './refusals.ts'
import { type Decided, requireWritable } from './release.ts'
import { castVote, castVoteByFingerprint } from './vote.ts'
import { requirePlace } from './waiting_places.ts'

/** Decides the request of an activity operation: makes a new activity, shows an existing one or casts a vote. */
export async function submitActivity(
  context: RequestContext,
  operation: ActivityOperation,
  body: JsonObject,
): Promise<Decided> {
  const envelope = readEnvelope(operation, body)
  const stamp = await readStamp(context)
  const named = openEvenDeleted(context, envelope.organizationId)
  if (named === undefined) throw new Failure('ORGANIZATION_NOT_FOUND', envelope.organizationId)
  if (named.head.deletedAtMs !== undefined) {
    return showDeletion(context, { operation, envelope, organization: named })
  }
  const caller = await identifyOrRecorded(context, { operation, envelope, organization: named, stamp })
  // If the parent's id stood for a sub-organization, that sub-organization is the target from here on.
  const target = caller.organization.head.parentId === named.head.organizationId ? caller.organization : named
  return decideSubmission(context, { operation, envelope, target, caller, body })
}

/** A request whose caller is known, and the organization that it is about. */
type Called = {
  readonly operation: ActivityOperation
  readonly envelope: Envelope
  readonly target: Organization
  readonly caller: Caller
  readonly body: JsonObject
}

/** Decides the request of a known caller. Every path to an activity leads here. */
export async function decideSubmission(
  context: RequestContext,
  { operation, envelope, target, caller, body }: Called,
): Promise<Decided> {
  const { nowMs, decisionCounts } = context
  const { organizationId } = target.head
  const fingerprint = context.fingerprint()
  const requestKey = requestKeyOf(envelope.timestampMs, fingerprint)
  decisionCounts.begin(() => countKeyOf(organizationId, requestKey))

  if (operation.casts !== undefined) {
    requireFresh(envelope.timestampMs, nowMs)
    const { selection, fingerprintIn } = operation.casts
    const voted = fingerprintIn(envelope.parameters)
    return castVoteByFingerprint(context, { target, caller, selection, fingerprint: voted })
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
  requireWithinSession(context, caller, operation)

  await context.pauseIfLarge()
  const bound = envelope.accepted.read(envelope.parameters)
  await bound.check(context.pause)
  await context.pauseIfLarge()
  const resolved = resolveNeeds(context, target, [...bound.needs(organizationId), ...callerNeeds(target, caller)])
  const request = { target, bound, reader: readerOf(resolved) }
  await prepare(request, { pause: context.pause, asksFacts: asksFacts(caller, request) })
  const seen = seenOf(request, context)
  requireScope(context, caller, seen.facts)
  await context.pauseIfLarge()
  const ruling = await ruleSubmission(context, { target, caller, seen })
  // Conditions may be unable to read a request that a rule denies anyway.
  const mfa = ruling.kind === 'deny' ? undefined : mfaOf(caller, seen.facts)
  const owesStep = mfa?.due !== undefined
  const move = moveOf({
    ...{ isSubmission: true, isRejection: false, ruling: ruling.kind, submitterOwes: owesStep },
    isOfParent: isOfParent(target, caller),
  })
  if (move === 'denied' || move === 'stepDue') throw await refusalOfSubmission(context, { caller, ruling, mfa })
  if (context.request.isTrial === true) return { kind: 'allowed' }
  if (!signs(operation)) requireWritable(context.services.books)
  const submission: Submission = { bound, body, requestKey, target, caller, ruling, resolved }
  if (move === 'runs') return complete(context, submission, seen.facts)
  // The tokens of an activity that is going to wait are verified now: they may have expired when it runs.
  await verifyOidcTokens(context, bound, nowMs)
  // This throws if conditions cannot read the request: nobody should be asked to vote on that. Without policies,
  // nothing has tried to read it yet.
  seen.facts()
  return wait(context, submission, { owesStep })
}

type Submitted = {
  readonly operation: ActivityOperation
  readonly envelope: Envelope
  readonly organization: Organization
  readonly stamp: Stamp
}

/** Returns the caller. For bytes whose own activity has removed the credential that stamped them, it is the one of then. */
async function identifyOrRecorded(
  context: RequestContext,
  { operation, envelope, organization, stamp }: Submitted,
): Promise<Caller> {
  try {
    return await identify(context, { operation, target: organization, stamp })
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== stamp.failures.notFound) throw error
    const { organizationId } = organization.head
    const fingerprint = context.fingerprint()
    const requestKey = requestKeyOf(envelope.timestampMs, fingerprint)
    const activity = findKnownActivity(context, { organizationId, requestKey, fingerprint })?.activity
    if (activity?.removedOwnCredential !== true) throw error
    const caller = await recordedCaller(context, { votes: [submissionOf(activity)], organization })
    if (caller === undefined) throw error
    requireAllowedSource(context, { target: organization, caller })
    return caller
  }
}

function mfaOf({ user, method, openedBy, attested, stamp: { publicKey } }: Caller, facts: () => Struct) {
  return mfaStateOf(user, [{ method, openedBy, attested, publicKey }], applyingTo(facts))
}

/** The needs for the caller. An operation, such as a login, may change the user who asks for it. */
function callerNeeds(target: Organization, caller: Caller): readonly Need[] {
  // An invited person is no user yet, and the auth proxy is nobody.
  const isNobody = caller.invitation !== undefined || caller.isUnstamped === true || isOfParent(target, caller)
  return [...(isNobody ? [] : [user(caller.user.userId)]), ...attestationReads(caller)]
}

function isOfParent(target: Organization, { organization }: Caller): boolean {
  return organization.head.organizationId !== target.head.organizationId
}

type Submission = {
  readonly bound: BoundActivity
  readonly body: JsonObject
  readonly requestKey: string
  readonly target: Organization
  readonly caller: Caller
  readonly ruling: Ruling
  readonly resolved: ResolvedNeeds
}

async function ruleSubmission(
  { nowMs, pause }: Reading,
  { target, caller, seen }: Pick<Submission, 'target' | 'caller'> & { readonly seen: SeenRequest },
): Promise<Ruling> {
  const { user, stamp, organization, attested } = caller
  const { isUnstamped: isGranted } = caller
  const approvals = isGranted ? [] : [{ user, publicKey: stamp.publicKey, ...(attested && { attested }) }]
  // A user of the parent may submit only what logs users in. The parent decides about that, by its own rules.
  const ruling = await rule({ ...seen, organization, approvals, submitterId: user.userId, isGranted, nowMs, pause })
  return isOfParent(target, caller) && ruling.kind === 'consensus' ? nobodyVotes(ruling) : ruling
}

/**
 * Denies a request that would have to wait for votes. Only the organization's own users vote. They must not decide for
 * the parent, nor the parent for them.
 */
function nobodyVotes(ruling: Ruling): Ruling {
  const reason = 'the rules of the parent ask for more than one approval, and nobody can vote on this here'
  return { ...ruling, kind: 'deny', reason, voterIds: [] }
}

/** The origin of the changes of the first version of the activity. */
function changeSource({ target, caller, requestKey, resolved }: Submission): ChangeSource {
  const { organizationId } = target.head
  return { caller, resolved, changeKey: () => changeKeyOf({ organizationId, requestKey, version: 1 }) }
}

async function complete(context: RequestContext, submission: Submission, facts: () => Struct): Promise<Decided> {
  const { bound, body, target, caller, requestKey } = submission
  const activity = newActivity(context, submission, { activityId: context.services.newId() })
  const executed = await execute(context, {
    ...changeSource(submission),
    ...{ activity, bound, target, submitter: caller, facts, approvals: activity.votes },
    asksForAppProofs: asksForAppProofs(body),
  })
  if (executed.kind === 'refusal') return refuseRecorded(context, executed)
  return commitActivity(context, { ...executed, target, caller, requestKey, version: 1 })
}

/** Stores the activity without running it, until its submitter has taken all MFA steps and enough others approve. */
async function wait(
  context: RequestContext,
  submission: Submission,
  { owesStep }: { readonly owesStep: boolean },
): Promise<Decided> {
  const { services } = context
  const { target, caller, requestKey, ruling } = submission
  const { voterIds } = ruling
  requirePlace(submission, services.limits)
  const activityId = services.newId()
  const changes = await changeRecords(context, changeSource(submission), ({ pendingActivities }) => {
    pendingActivities.add({ activityId, activityVersion: 1, submitterId: caller.user.userId })
  })
  const created = newActivity(context, submission, { activityId })
  const activity = {
    ...created,
    status: transition(
      created.status,
      owesStep ? 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED' : 'ACTIVITY_STATUS_CONSENSUS_NEEDED',
    ),
    ...(owesStep ? { provingIds: [caller.user.userId] } : {}),
    ...(voterIds.length === 0 ? {} : { voterIds }),
  }
  const { organizationId, fingerprint } = activity
  const found = { change: 'add', organizationId, lookup: 'fingerprint', key: fingerprint } as const
  const lookups = [...changes.lookups, { ...found, kind: 'activity', recordId: activityId }]
  const allChanges = { ...changes, lookups }
  const notices = await noticesOf(context, { target, activity, statusBefore: undefined })
  return commitActivity(context, { target, caller, activity, requestKey, version: 1, changes: allChanges, notices })
}

function newActivity(
  context: RequestContext,
  { bound, target, caller, ruling }: Submission,
  { activityId }: Pick<Activity, 'activityId'>,
): Activity {
  const { nowMs } = context
  return {
    activityId,
    organizationId: target.head.organizationId,
    type: bound.type,
    status: 'ACTIVITY_STATUS_CREATED',
    fingerprint: context.fingerprint(),
    result: {},
    votes: [withEvaluations(voteOf(context, caller, 'VOTE_SELECTION_APPROVED'), ruling)],
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
}

/** Makes no activity, but writes the changes of the refusal before the caller learns of it. */
function refuseRecorded(
  { evidence }: Reading,
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
  throw new Failure(
    'ORGANIZATION_MISMATCH',
    `request is targeting organization ("${organizationId}"), but voters are in organization ("${callersId}")`,
  )
}
