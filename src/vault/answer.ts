import { type Activity, transition } from '../operations/activity.ts'
import { findOperation } from '../operations/catalogue.ts'
import type { ActivityOperation, OidcIdentity, OidcToken, Query } from '../operations/define.ts'
import { readParameters, readQueryParameters } from '../operations/parameters.ts'
import { decide } from '../policy/decide.ts'
import { errorAnswer, Failure } from '../protocol/failures.ts'
import { fingerprintOf, requestKeyOf } from '../protocol/fingerprint.ts'
import { type JsonObject, parseBody } from '../protocol/json.ts'
import { type ApiStamp, parseApiStamp } from '../protocol/stamps.ts'
import { activityView, sealActivity } from './activity.ts'
import { type Caller, identifyCaller } from './caller.ts'
import { createDraft } from './draft.ts'
import { type Envelope, isFresh, readEnvelope, readOrganizationId } from './envelope.ts'
import { createEvidence, type Evidence, IntegrityError, ReadsNeeded } from './evidence.ts'
import { createKeys } from './keys/keys.ts'
import type { Means } from './means.ts'
import { type Organization, openOrganization, requireOrganizations } from './organization.ts'
import { readerOf } from './reader.ts'
import { findRecorded, isSubmitter } from './recorded.ts'
import { resolveNeeds } from './resolve.ts'
import type { VaultAnswer, VaultRequest } from './verbs.ts'

/**
 * Decides one request from nothing but its bytes, its stamp and what was presented: the one place where a request
 * becomes an effect. The order of the checks is part of the interface.
 */
export async function answer(means: Means, request: VaultRequest): Promise<VaultAnswer> {
  try {
    const operation = findOperation(request.path)
    if (operation === undefined) throw new Failure('OPERATION_UNKNOWN', { reason: 'see /docs for those that exist' })
    const body = parseBody(request.body)
    const situation: Situation = {
      means,
      request,
      stampHeader: onlyStampHeader(request),
      evidence: createEvidence(request.presented),
      nowMs: means.nowMs(),
    }
    return operation.kind === 'query'
      ? await answerQuery(situation, operation, body)
      : await answerActivity(situation, operation, body)
  } catch (error) {
    if (error instanceof ReadsNeeded) return { kind: 'need', reads: error.reads }
    if (error instanceof IntegrityError) return { kind: 'integrity', incident: error.message }
    if (error instanceof Failure) return { kind: 'answer', status: error.httpStatus, body: json(errorAnswer(error)) }
    throw error
  }
}

type Situation = {
  readonly means: Means
  readonly request: VaultRequest
  /** There is exactly one; what is in it is read after the envelope. */
  readonly stampHeader: StampHeader
  readonly evidence: Evidence
  readonly nowMs: number
}

async function answerQuery(situation: Situation, query: Query, body: JsonObject): Promise<VaultAnswer> {
  const { request, nowMs } = situation
  const organizationId = readOrganizationId(body)
  const stamp = readStamp(situation)
  const target = await openTarget(situation, organizationId)
  const caller = await identify(situation, { operation: query, target, stamp })
  const parameters = readQueryParameters(query, body) as never
  query.check(parameters)
  // A parent's id that stood for a sub-organization stands for it in the answer too.
  const organization = caller.organization.head.parentId === target.head.organizationId ? caller.organization : target
  const resolved = await resolveNeeds(sourcesOf(situation), organization, query.reads(parameters))
  const showActivity = activityViewer(organization, request.dialect, resolved.activities)
  const result = query.run({
    organization: readerOf(organization, resolved),
    parameters,
    nowMs,
    caller: factsOf(caller),
    showActivity,
  })
  return { kind: 'answer', status: 200, body: json(result) }
}

async function answerActivity(
  situation: Situation,
  operation: ActivityOperation,
  body: JsonObject,
): Promise<VaultAnswer> {
  const { nowMs } = situation
  const envelope = readEnvelope(operation, body)
  const stamp = readStamp(situation)
  const target = await openTarget(situation, envelope.organizationId)
  const caller = await identify(situation, { operation, target, stamp })

  const fingerprint = fingerprintOf(situation.request.body)
  const requestKey = requestKeyOf(envelope.timestampMs, fingerprint)
  const known = findRecorded(situation, { organizationId: envelope.organizationId, requestKey, fingerprint })
  if (known !== undefined && isSubmitter(known, caller)) return showRecorded(situation, target, known)
  if (!isFresh(envelope.timestampMs, nowMs)) {
    throw new Failure('REQUEST_STALE', {
      fieldPath: 'timestampMs',
      expected: 'at most 1 hour old and at most 5 minutes ahead',
      reason: `the time here is ${nowMs}`,
    })
  }
  // Another user's copy of the bytes would be a vote; nothing that exists so far waits for one.
  if (known !== undefined) throw new Failure('FORBIDDEN', { reason: 'this activity was submitted by another user' })
  requireSameOrganization(target, caller)

  const parameters = readParameters(envelope.accepted, envelope.parameters)
  operation.check(parameters as never)
  const resolved = await resolveNeeds(sourcesOf(situation), target, operation.reads(parameters as never))
  const decision = decide({
    rootQuorum: target.head.rootQuorum,
    userId: caller.user.userId,
    ownerId: operation.ownerOf(parameters as never),
  })
  if (decision.kind === 'deny') throw new Failure('FORBIDDEN', { denied: decision })
  const reader = readerOf(target, resolved)
  return execute(situation, { operation, envelope, fingerprint, requestKey, target, caller, parameters, reader })
}

/** Runs what was allowed and seals what came of it. Nothing has an effect before the commit is on disk. */
async function execute(
  { means, request, evidence, nowMs }: Situation,
  allowed: {
    readonly operation: ActivityOperation
    readonly envelope: Envelope
    readonly fingerprint: string
    readonly requestKey: string
    readonly target: Organization
    readonly caller: Caller
    readonly parameters: unknown
    readonly reader: ReturnType<typeof readerOf>
  },
): Promise<VaultAnswer> {
  const { operation, envelope, fingerprint, requestKey, target, caller, parameters, reader } = allowed
  const { seals, limits, newId, randomBytes } = means
  const { organizationId } = envelope
  const oidcIdentity = await verifyTokens(means, operation.oidcTokens(parameters as never), nowMs)
  const draft = createDraft({ seals, evidence, nowMs, newId }, target, reader)
  try {
    const result = await operation.run({
      organization: draft.writer,
      parameters: parameters as never,
      nowMs,
      caller: factsOf(caller),
      keys: createKeys({ seals, organization: target, randomBytes }),
      limits,
      newId,
      oidcIdentity,
    })
    const changes = draft.changes()
    const activityId = newId()
    const activity: Activity = {
      activityId,
      organizationId,
      type: envelope.accepted.type,
      status: transition('ACTIVITY_STATUS_CREATED', 'ACTIVITY_STATUS_COMPLETED'),
      fingerprint,
      result: { [envelope.accepted.resultKey]: result },
      votes: [
        {
          voteId: newId(),
          userId: caller.user.userId,
          organizationId: caller.organization.head.organizationId,
          userName: caller.user.userName,
          selection: 'VOTE_SELECTION_APPROVED',
          message: Buffer.from(request.body).toString('utf8'),
          publicKey: caller.stamp.publicKey,
          signature: caller.stamp.signatureHex,
          scheme: caller.stamp.scheme,
          createdAtMs: nowMs,
        },
      ],
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    }
    const { type, status } = activity
    const version = 1
    const sealed = sealActivity(seals, activity, version)
    return {
      kind: 'commit',
      status: 200,
      body: json({ activity: activityViewer(target, request.dialect, [activity])(activity) }),
      commit: {
        readSet: evidence.readSet(),
        ...changes,
        activities: [{ organizationId, activityId, requestKey, type, status, version, sealed }],
      },
      recorded: [{ organizationId, requestKey }],
    }
  } finally {
    draft.dispose()
  }
}

/** At once: each may wait for its issuer. */
async function verifyTokens(means: Means, tokens: readonly OidcToken[], nowMs: number) {
  const verified = await Promise.all(tokens.map((named) => means.verifyOidcToken({ ...named, nowMs })))
  const identities = new Map(tokens.map(({ token }, index) => [token, verified[index]]))
  return (token: string): OidcIdentity => {
    const identity = identities.get(token)
    if (identity === undefined) throw new Error('`oidcTokens` did not name this token')
    return identity
  }
}

type StampHeader = VaultRequest['stamps'][number]

function onlyStampHeader({ stamps }: VaultRequest): StampHeader {
  const [stamp, another] = stamps
  if (stamp === undefined) throw new Failure('STAMP_MISSING')
  if (another !== undefined) throw new Failure('STAMP_COUNT')
  return stamp
}

function readStamp({ stampHeader: { header, value } }: Situation): ApiStamp {
  if (header === 'x-stamp') return parseApiStamp(value)
  throw new Failure('STAMP_MALFORMED', { reason: `${header} is not supported yet` })
}

async function openTarget(situation: Situation, organizationId: string): Promise<Organization> {
  const organization = await openOrganization(sourcesOf(situation), organizationId)
  if (organization === undefined) throw new Failure('ORGANIZATION_NOT_FOUND')
  return organization
}

function identify(
  situation: Situation,
  stamped: { readonly operation: ActivityOperation | Query; readonly target: Organization; readonly stamp: ApiStamp },
): Promise<Caller> {
  return identifyCaller(sourcesOf(situation), { ...stamped, body: situation.request.body })
}

function sourcesOf({ means, evidence, nowMs }: Situation) {
  const { seals, mark, cache } = means
  const sources = { evidence, seals, mark, cache, nowMs }
  return {
    ...sources,
    open: (organizationId: string) => openOrganization(sources, organizationId),
    requireOrganizations: (organizationIds: readonly string[]) => requireOrganizations(sources, organizationIds),
  }
}

function factsOf({ user, organization }: Caller) {
  const { organizationId, organizationName } = organization.head
  return { user, organizationId, organizationName }
}

function showRecorded({ request }: Situation, target: Organization, activity: Activity): VaultAnswer {
  const body = json({ activity: activityViewer(target, request.dialect, [activity])(activity) })
  return { kind: 'answer', status: 200, body }
}

/** A parent reads its sub-organizations; it writes none of what exists so far. */
function requireSameOrganization(target: Organization, caller: Caller): void {
  const { organizationId } = target.head
  const callersId = caller.organization.head.organizationId
  if (organizationId === callersId) return
  throw new Failure('ORGANIZATION_MISMATCH', {
    reason: `request is targeting organization ("${organizationId}"), but voters are in organization ("${callersId}")`,
  })
}

function activityViewer(organization: Organization, dialect: VaultRequest['dialect'], activities: readonly Activity[]) {
  const { organizationId } = organization.head
  const voters = activities.flatMap(({ votes }) => votes.filter((vote) => vote.organizationId === organizationId))
  organization.require(
    'user',
    voters.map(({ userId }) => userId),
  )
  return (activity: Activity) =>
    activityView(activity, {
      dialect,
      userOf: (vote) => (vote.organizationId === organizationId ? organization.listed('user', vote.userId) : undefined),
    })
}

function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}
