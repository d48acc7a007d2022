import type { Need } from '../../contract/needs.ts'
import type { ActivityOperation, BoundActivity } from '../../contract/operation.ts'
import type { Activity, Vote } from '../../contract/records/activity.ts'
import { lazily } from '../../protocol/tools/lazily.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { approvesOtherwise, requireWithinSession } from '../caller/proxy_sessions.ts'
import type { SeenCaller } from '../caller/seen_caller.ts'
import { requireScope } from '../caller/session_scope.ts'
import { type ResolvedNeeds, readerOf } from '../organization/organization_reader.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import type { Counts } from '../rules/counts.ts'
import { type Mfa, mfaFor } from '../rules/mfa_steps.ts'
import { asksFacts, type SeenRequest, seenOf } from '../rules/rules.ts'
import { standingApprovals } from '../rules/standing_approvals.ts'

type Submission<O extends SeenOrganization> = {
  readonly operation: ActivityOperation
  readonly target: O
  readonly caller: SeenCaller
  /** Reads the parameters. Throws a `Failure`. */
  read(): BoundActivity
  /** Finds what the request names. Throws a `Failure` if some of that does not exist. */
  resolve(needs: readonly Need[], bound: BoundActivity): ResolvedNeeds<O>
}

type ReadingVote = Counts & {
  readonly pause: Pause
  /** The same, if the request is so large that any step may be long. */
  readonly pauseIfLarge: Pause
}

/** Reads a request that made no activity yet. Throws the `Failure` of one that may not be asked at all. */
export async function readSubmission<O extends SeenOrganization>(
  context: ReadingVote,
  { operation, target, caller, read, resolve }: Submission<O>,
): Promise<{
  readonly bound: BoundActivity
  readonly resolved: ResolvedNeeds<O>
  readonly seen: SeenRequest
  readonly mfa: Mfa
}> {
  requireSameOrganization(operation, target, caller)
  const asked = lazily(read)
  requireWithinSession(caller, { operation, bound: asked })
  await context.pauseIfLarge()
  const { nowMs, pause } = context
  const bound = asked()
  await bound.check(pause)
  await context.pauseIfLarge()
  const resolved = resolve(bound.needs(target.head.organizationId), bound)
  const request = { target, bound, reader: readerOf(resolved) }
  const seen = await seenOf(request, context, { asksFacts: await asksFacts(caller, request, pause) })
  requireScope(caller, { facts: seen.facts, bound })
  await context.pauseIfLarge()
  const userIds = [caller.user.userId]
  const mfa = await mfaFor({ organization: caller.organization, nowMs }, { userIds, facts: seen.facts, pause })
  return { bound, resolved, seen, mfa }
}

type LaterVote = {
  readonly target: SeenOrganization
  readonly caller: SeenCaller
  /** The activity, which waits, with the votes before this one. */
  readonly activity: Activity
  readonly vote: Vote
  readonly request: SeenRequest
}

/** Returns the demands of MFA policies on a vote. Throws the `Failure` of one that its session may not cast. */
export async function mfaOfLaterVote(
  { nowMs, pause }: Pick<ReadingVote, 'nowMs' | 'pause'>,
  { target, caller, activity, vote, request }: LaterVote,
): Promise<Mfa> {
  const { votes } = activity
  const { userId } = caller.user
  const electorate = { organization: target, nowMs }
  const userIds = [userId, ...votes.map((earlier) => earlier.userId)]
  const mfa = await mfaFor(electorate, { userIds, facts: request.facts, pause })
  const owesStep = mfa.stateOf(userId, votes)?.due !== undefined
  // A session of the auth proxy may take a step of an MFA policy, but approves no activity that outlasts it.
  const isOnlyStep = owesStep && approvesOtherwise(vote, standingApprovals(votes, electorate))
  if (vote.selection === 'VOTE_SELECTION_APPROVED' && !isOnlyStep) {
    const { bound } = request
    requireWithinSession(caller, { operation: bound.operation, bound: () => bound })
  }
  return mfa
}

/** A parent reads its sub-organizations. Among activities, it may submit only those that log their users in there. */
function requireSameOrganization(
  { openToParent }: ActivityOperation,
  target: SeenOrganization,
  caller: SeenCaller,
): void {
  const { organizationId } = target.head
  const callersId = caller.organization.head.organizationId
  if (organizationId === callersId) return
  if (openToParent && target.head.parentId === callersId) return
  throw new Failure(
    'ORGANIZATION_MISMATCH',
    `request is targeting organization ("${organizationId}"), but voters are in organization ("${callersId}")`,
  )
}
