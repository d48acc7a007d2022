import type { Activity, Vote } from '../../contract/records/activity.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { apiKeyOf } from '../caller/credential_stamps.ts'
import { requireOneTimeUse } from '../caller/one_time_use.ts'
import type { SeenCaller } from '../caller/seen_caller.ts'
import { requireScope } from '../caller/session_scope.ts'
import type { RecordedOrganization } from '../organization/recorded_organization.ts'
import { resolveRecorded } from '../organization/resolve_recorded.ts'
import { bodyOf, boundOf, operationOfActivity, submissionOf } from '../organization/submitted.ts'
import type { Counts } from '../rules/counts.ts'
import { foundRequest, readRequest } from '../rules/request_of_activity.ts'
import { controlsOver, countControls } from '../rules/sum_controls.ts'
import { countSpending, pathsCountedOf, type SumAfter } from '../rules/sum_spending.ts'
import { type CountedVote, countVote } from './count_vote.ts'
import { mfaOfLaterVote, readSubmission } from './read_vote.ts'
import { voterOf } from './voter_of.ts'

/** A version of an activity, which its last vote has made, and the state in which that vote was counted. */
export type RecordedDecision = {
  readonly activity: Activity
  /** The version before. Undefined: the activity was submitted by this vote. */
  readonly before: Activity | undefined
  /** The organization of the activity. */
  readonly target: RecordedOrganization
  /** The organization of the voter: the same one, or its parent. */
  readonly home: RecordedOrganization
  /** The amounts that were counted before, beside those in the records. */
  readonly counted: Counts['decisionCounts']
}

/**
 * Decides about a recorded vote again, as the vault did. Throws the `Failure` with which the vault would have refused it.
 * Undefined: the vote would have changed nothing.
 */
export async function decideAgain(recorded: RecordedDecision): Promise<CountedVote | undefined> {
  const { activity, target, home, counted } = recorded
  const last = activity.votes.at(-1)
  if (last === undefined) throw new Error(`activity ${activity.activityId} has no vote`)
  // These are of the decision.
  const { policiesByOutcome: _, smartContractInterfaceIds: __, ...vote } = last
  const caller = voterOf(home, vote)
  if (caller === undefined) throw new Failure('NOT_FOUND', `there was no user ${vote.userId} in this organization`)
  requireOneTimeUse(usedBy(caller, vote), operationOfVote(recorded, vote))
  const context = { nowMs: vote.createdAtMs, decisionCounts: counted, pause: never, pauseIfLarge: never }
  const { before = submitted(activity) } = recorded
  const given = { target, caller, activity: before, vote }
  const { request, mfa } =
    recorded.before === undefined ? await submission(context, { ...given, activity }) : await laterVote(context, given)
  // The tables ask only whether it is a submission.
  return countVote(context, { ...given, version: recorded.before === undefined ? 0 : 1, request, mfa })
}

/** The key of the vote. Who is no user yet was invited. */
function usedBy({ user, organization, isUnstamped }: SeenCaller, vote: Vote): Parameters<typeof requireOneTimeUse>[0] {
  const isInvited = isUnstamped === undefined && organization.listed('user', user.userId) === undefined
  const { credentialType } = apiKeyOf({ user, stamp: vote }) ?? {}
  return { ...(credentialType && { credentialType }), isInvited }
}

/** The operation that the voter has asked for. A copy of the request asks for the same. */
function operationOfVote({ activity }: Pick<RecordedDecision, 'activity'>, { message, selection }: Vote) {
  if (message === submissionOf(activity).message) return operationOfActivity(activity).operation
  return { name: selection === 'VOTE_SELECTION_APPROVED' ? 'approve_activity' : 'reject_activity' } as const
}

/** Returns the sums to which the activity adds when its last vote runs it, as they are afterwards. */
export async function countAgain({
  activity,
  target,
}: Pick<RecordedDecision, 'activity' | 'target'>): Promise<readonly SumAfter[]> {
  const nowMs = activity.votes.at(-1)?.createdAtMs ?? activity.createdAtMs
  const context = { nowMs, decisionCounts: { amounts: () => [] }, pause: never }
  const bound = boundOf(activity)
  const paths = await pathsCountedOf(target, bound, never)
  if (paths.size === 0 && controlsOver(target, bound).length === 0) return []
  const found = foundRequest(target, activity, (needs) => resolveRecorded(target, needs))
  const { toRun } = await readRequest(context, found)
  const counting = { ...toRun(), bound, nowMs }
  const spent = await countSpending({ ...counting, pause: never })
  const controlled = countControls({ ...counting, submitterId: submissionOf(activity).userId })
  return [...spent.after, ...controlled.after]
}

type Context = Parameters<typeof readSubmission>[0]
type SeenVote = Pick<RecordedDecision, 'target' | 'activity'> & {
  readonly caller: SeenCaller
  readonly vote: Activity['votes'][number]
}

async function submission(context: Context, { target, caller, activity }: SeenVote) {
  const { operation, accepted } = operationOfActivity(activity)
  const { seen: request, mfa } = await readSubmission(context, {
    ...{ operation, target, caller },
    read: () => accepted.read(bodyOf(activity).parameters),
    resolve: (needs) => resolveRecorded(target, needs),
  })
  return { request, mfa }
}

async function laterVote(context: Context, voting: SeenVote) {
  const { target, caller, activity } = voting
  const request = await readRequest(
    context,
    foundRequest(target, activity, (needs) => resolveRecorded(target, needs)),
  )
  requireScope(caller, request)
  return { request, mfa: await mfaOfLaterVote(context, { ...voting, request }) }
}

/** Returns the activity as it was before its submission was counted. */
function submitted({ activityId, organizationId, type, fingerprint, createdAtMs }: Activity): Activity {
  return {
    ...{ activityId, organizationId, type, fingerprint, createdAtMs, updatedAtMs: createdAtMs },
    ...{ status: 'ACTIVITY_STATUS_CREATED', result: {}, votes: [] },
  }
}

function never() {
  return undefined
}
