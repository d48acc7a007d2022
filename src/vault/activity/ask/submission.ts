import { type Need, user } from '../../../contract/needs.ts'
import { readSubmission } from '../../../deciding/votes/read_vote.ts'
import { isOfParent } from '../../../deciding/votes/uncounted_vote.ts'
import { attestationReads } from '../../caller/attestation_use.ts'
import type { Caller } from '../../caller/caller.ts'
import type { Asking } from '../../caller/request_context.ts'
import type { Organization } from '../../state/organization.ts'
import { resolveNeeds } from '../../state/resolve.ts'
import type { Ballot } from '../ballot.ts'
import { requireNotWaitedFor } from '../waiting_credentials.ts'
import { voteOf } from './vote_of.ts'
import type { IdentifiedRequest } from './vote_or_answer.ts'

/** Reads a request that made no activity yet. */
export async function submissionBallot(
  context: Asking,
  { operation, envelope, target, caller }: IdentifiedRequest,
  requestKey: string,
): Promise<Ballot> {
  const { nowMs } = context
  const { organizationId } = target.head
  const { bound, resolved, seen, mfa } = await readSubmission(context, {
    ...{ operation, target, caller },
    read: () => envelope.accepted.read(envelope.parameters),
    resolve(needs, asked) {
      const all = resolveNeeds(context, target, [...needs, ...callerNeeds(target, caller)])
      requireNotWaitedFor(all, { needs, bound: asked }, { userId: caller.user.userId, nowMs })
      return all
    },
  })
  return {
    ...{ target, caller, requestKey, voteRecords: resolved, mfa },
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
