import type { ActivityStatus } from '../../../contract/records/activity.ts'
import type { Ruling } from '../../rules/rules.ts'

/** The facts about a vote that counts, which decide what it does. A submission is the first vote on its activity. */
export type MoveFacts = {
  readonly isSubmission: boolean
  readonly isRejection: boolean
  /** The ruling on the votes, with this one. */
  readonly ruling: Ruling['kind']
  /** Whether the submitter owes a step of an MFA policy, after this vote. */
  readonly submitterOwes: boolean
  /** Whether a user of the parent submits. Nobody can vote on that in the sub-organization. */
  readonly isOfParent: boolean
}

/** The vote runs the activity, ends it, or leaves it waiting; a submission may also be refused, by a rule or for a step. */
export type Move = 'runs' | 'rejects' | 'waits' | 'denied' | 'stepDue'

/** The move of a vote that counts: it is not refused. */
export type CountedMove = Exclude<Move, 'denied' | 'stepDue'>

/** Says what a vote does. Only a submission may be refused. */
export function moveOf(facts: MoveFacts & { readonly isSubmission: false }): CountedMove
export function moveOf(facts: MoveFacts): Move
export function moveOf({ isSubmission, isRejection, ruling, submitterOwes, isOfParent }: MoveFacts): Move {
  if (isRejection) return 'rejects'
  // A denial refuses a submission alone. A waiting activity goes on waiting: the rules may change before its votes lapse.
  if (isSubmission && ruling === 'deny') return 'denied'
  if (isSubmission && submitterOwes && isOfParent) return 'stepDue'
  return ruling === 'allow' && !submitterOwes ? 'runs' : 'waits'
}

/** Says in which status a vote leaves its activity, unless that fails. It waits first for the steps of its submitter. */
export function statusAfter(move: CountedMove, { submitterOwes }: Pick<MoveFacts, 'submitterOwes'>): ActivityStatus {
  if (move === 'runs') return 'ACTIVITY_STATUS_COMPLETED'
  if (move === 'rejects') return 'ACTIVITY_STATUS_REJECTED'
  return submitterOwes ? 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED' : 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
}
