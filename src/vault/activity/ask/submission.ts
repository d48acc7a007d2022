import { type Need, user } from '../../../contract/needs.ts'
import type { ActivityOperation } from '../../../contract/operation.ts'
import { requireWithinSession } from '../../../deciding/caller/proxy_sessions.ts'
import { requireScope } from '../../../deciding/caller/session_scope.ts'
import { readerOf } from '../../../deciding/organization/organization_reader.ts'
import { mfaFor } from '../../../deciding/rules/mfa_steps.ts'
import { asksFacts, seenOf } from '../../../deciding/rules/rules.ts'
import { isOfParent } from '../../../deciding/votes/cast_vote.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { attestationReads } from '../../caller/attestation_use.ts'
import type { Caller } from '../../caller/caller.ts'
import type { Asking } from '../../caller/request_context.ts'
import type { Organization } from '../../state/organization.ts'
import { resolveNeeds } from '../../state/resolve.ts'
import type { Ballot } from '../ballot.ts'
import { voteOf } from './vote_of.ts'
import type { IdentifiedRequest } from './vote_or_answer.ts'

/** Reads a request that made no activity yet. */
export async function submissionBallot(
  context: Asking,
  { operation, envelope, target, caller }: IdentifiedRequest,
  requestKey: string,
): Promise<Ballot> {
  requireSameOrganization(operation, target, caller)
  requireWithinSession(caller, operation)
  await context.pauseIfLarge()
  const { nowMs, pause } = context
  const { organizationId } = target.head
  const bound = envelope.accepted.read(envelope.parameters)
  await bound.check(pause)
  await context.pauseIfLarge()
  const resolved = resolveNeeds(context, target, [...bound.needs(organizationId), ...callerNeeds(target, caller)])
  const request = { target, bound, reader: readerOf(resolved) }
  const seen = await seenOf(request, context, { asksFacts: await asksFacts(caller, request, pause) })
  requireScope(caller, { facts: seen.facts, parameters: bound.parameters })
  await context.pauseIfLarge()
  const userIds = [caller.user.userId]
  const mfa = await mfaFor({ organization: caller.organization, nowMs }, { userIds, facts: seen.facts, pause })
  return {
    ...{ target, caller, requestKey, voteNeeds: resolved, mfa },
    version: 0,
    activity: {
      activityId: context.services.newId(),
      organizationId,
      type: bound.type,
      status: 'ACTIVITY_STATUS_CREATED',
      fingerprint: context.fingerprint(),
      result: {},
      votes: [],
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    },
    vote: voteOf(context, caller, 'VOTE_SELECTION_APPROVED'),
    request: { ...seen, toRun: () => ({ resolved, facts: seen.facts }) },
  }
}

/** The needs for the caller. An operation, such as a login, may change the user who asks for it. */
function callerNeeds(target: Organization, caller: Caller): readonly Need[] {
  // An invited person is no user yet, and the auth proxy is nobody.
  const isNobody = caller.invitation !== undefined || caller.isUnstamped === true || isOfParent({ target, caller })
  return [...(isNobody ? [] : [user(caller.user.userId)]), ...attestationReads(caller)]
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
