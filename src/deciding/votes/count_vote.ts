import type { Activity, ActivityStatus, Vote } from '../../contract/records/activity.ts'
import type { Outcome } from '../../policy/decision/effects.ts'
import type { Pause } from '../../protocol/tools/pause.ts'
import { mayRead } from '../caller/session_scope.ts'
import { submissionOf } from '../organization/submitted.ts'
import { approvalsIn } from '../rules/approver_facts.ts'
import { allApprovalsIn } from '../rules/ended_approvals.ts'
import { type Ruling, rule } from '../rules/rules.ts'
import { admissionFacts } from './admission_facts.ts'
import { refusalOfSubmission, refusalOfVote } from './refusals.ts'
import { admissionOf } from './tables/admission.ts'
import { type CountedMove, moveOf, statusAfter } from './tables/move.ts'
import { isOfParent, isSubmission, type UncountedVote } from './uncounted_vote.ts'

type Deciding = {
  readonly nowMs: number
  /** Asked between two steps of long work. */
  readonly pause: Pause
}

/** A vote that counts: the activity with it, and what it does. */
export type CountedVote = {
  readonly move: CountedMove
  readonly voted: Activity
  /** The status that it gets, unless it fails. */
  readonly expectedStatus: ActivityStatus
  /** The approvals that are counted. */
  readonly approvals: readonly Vote[]
}

/**
 * Asks the rules about a vote. Throws the refusal of one that may not be cast. Undefined: it changes nothing, as when a
 * client lost the answer.
 */
export function countVote(context: Deciding, uncounted: UncountedVote): Promise<CountedVote | undefined> {
  return isSubmission(uncounted) ? countSubmission(context, uncounted) : countLaterVote(context, uncounted)
}

async function countSubmission(context: Deciding, uncounted: UncountedVote): Promise<CountedVote> {
  const { caller, vote, activity, request, mfa } = uncounted
  const { nowMs, pause } = context
  const { user, stamp, organization, attested } = caller
  const { userId: submitterId } = user
  // The auth proxy stamps nothing and is no user. The root quorum has allowed what it asks for by enabling it.
  const isGranted = caller.isUnstamped
  const approvals = isGranted ? [] : [{ user, publicKey: stamp.publicKey, ...(attested && { attested }) }]
  const given = { approvals, allApprovals: undefined }
  // A user of the parent may submit only what logs users in. The parent decides about that, by its own rules.
  const ruled = await rule({ ...request, organization, ...given, submitterId, isGranted, nowMs, pause })
  const ruling = isOfParent(uncounted) && ruled.kind === 'consensus' ? nobodyVotes(ruled) : ruled
  // Not asked after a denial: conditions may fail to read the request, and that error would hide the denial.
  const state = ruling.kind === 'deny' ? undefined : mfa.stateOf(submitterId, [vote])
  const submitterOwes = state?.due !== undefined
  const facts = { isSubmission: true, isRejection: false, ruling: ruling.kind, submitterOwes }
  const move = moveOf({ ...facts, isOfParent: isOfParent(uncounted) })
  if (move === 'denied' || move === 'stepDue') {
    throw await refusalOfSubmission({ ruling, state, isReader: () => mayRead(caller) })
  }
  const votes = [withEvaluations(vote, ruling)]
  const { countsCredentials } = ruling
  const provingIds = submitterOwes ? [submitterId] : []
  const whileWaiting = { ...votersWith(activity, [ruling]), countsCredentials, provingIds }
  const voted = { ...activity, votes, ...(move === 'waits' ? whileWaiting : {}) }
  return { move, voted, expectedStatus: statusAfter(move, { submitterOwes }), approvals: votes }
}

/**
 * Denies a request that would have to wait for votes. Only the organization's own users vote. They must not decide for
 * the parent, nor the parent for them.
 */
function nobodyVotes(ruling: Ruling): Ruling {
  const reason = 'the rules of the parent ask for more than one approval, and nobody can vote on this here'
  return { ...ruling, kind: 'deny', reason, voterIds: [] }
}

/** The current rules apply to the request as it was submitted. */
async function countLaterVote(context: Deciding, uncounted: UncountedVote): Promise<CountedVote | undefined> {
  const { target, caller, activity, vote, request, mfa } = uncounted
  const { nowMs, pause } = context
  const submitterId = submissionOf(activity).userId
  const rulingOn = (votes: readonly Vote[], counted: readonly Vote[]) => {
    const given = { approvals: approvalsIn(target, counted), allApprovals: allApprovalsIn(target, votes) }
    return rule({ ...request, organization: target, submitterId, ...given, nowMs, pause })
  }
  const before = mfa.counted(activity.votes)
  const rulingBefore = await rulingOn(activity.votes, before)
  const admission = admissionOf(admissionFacts({ ...uncounted, before, waitsFor: rulingBefore }))
  if (admission === 'repeats') return undefined
  if (admission !== 'counts' && admission !== 'countsIfAllowed') {
    throw refusalOfVote(admission, mfa.stateOf(caller.user.userId, activity.votes))
  }
  const votes = [...activity.votes, vote]
  const approvals = mfa.counted(votes)
  const ruling = await rulingOn(votes, approvals)
  // One more approval of a user whose approval counts already.
  if (admission === 'countsIfAllowed' && ruling.kind !== 'allow') return undefined
  const provingIds = mfa.provingIds(votes)
  const submitterOwes = provingIds.includes(submitterId)
  const isRejection = vote.selection === 'VOTE_SELECTION_REJECTED'
  const facts = { isSubmission: false, isRejection, ruling: ruling.kind, submitterOwes, isOfParent: false } as const
  const move = moveOf(facts)
  return {
    move,
    expectedStatus: statusAfter(move, { submitterOwes }),
    voted: {
      ...activity,
      votes: [...activity.votes, withEvaluations(vote, ruling)],
      // Who was asked stays so: a closed policy may open again, and users who could vote learn how the activity ended.
      ...votersWith(activity, [rulingBefore, ruling]),
      provingIds,
      countsCredentials: ruling.countsCredentials,
      updatedAtMs: nowMs,
    },
    approvals,
  }
}

/** The voters of an activity with those of rulings on it. */
function votersWith(
  { voterIds: before = [], voterPlaces }: Pick<Activity, 'voterIds' | 'voterPlaces'>,
  rulings: readonly Ruling[],
): Pick<Activity, 'voterIds' | 'voterPlaces'> {
  const voterIds = [...new Set([...before, ...rulings.flatMap((ruling) => ruling.voterIds)])]
  // Nobody knows any more for whom each policy of an older activity waited.
  if (before.length > 0 && voterPlaces === undefined) return { voterIds }
  const places = new Map(Object.entries(voterPlaces ?? {}))
  for (const [policyId, userIds] of rulings.flatMap(({ votersOfPolicies }) => [...votersOfPolicies])) {
    const now = userIds.map((userId) => voterIds.indexOf(userId))
    places.set(policyId, [...new Set([...(places.get(policyId) ?? []), ...now])])
  }
  return { voterIds, ...(places.size === 0 ? {} : { voterPlaces: Object.fromEntries(places) }) }
}

/** Returns the vote with the outcome of each policy when the vote was counted, and how they were shown a call. */
function withEvaluations(
  vote: Vote,
  { evaluations, smartContractInterfaceIds }: Pick<Ruling, 'evaluations' | 'smartContractInterfaceIds'>,
): Vote {
  if (evaluations.length === 0) return vote
  const policiesByOutcome: { [K in Outcome]?: string[] } = {}
  for (const { policyId, outcome } of evaluations) {
    policiesByOutcome[outcome] ??= []
    policiesByOutcome[outcome].push(policyId)
  }
  const used = smartContractInterfaceIds.length === 0 ? {} : { smartContractInterfaceIds }
  return { ...vote, policiesByOutcome, ...used }
}
