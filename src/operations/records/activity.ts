import Type from 'typebox'
import type { AuthenticationMethod } from '../../policy/authentication_methods.ts'
import type { Outcome } from '../../policy/effects.ts'
import type { AppProof } from '../../protocol/tvc/app_proof.ts'
import type { Lookup } from './records.ts'

/**
 * The life of an activity. CREATED is never stored: a request that was refused leaves nothing. FAILED is for an activity
 * that had waited for votes or proofs and could not be run when the last one came.
 */
const nextStatuses = {
  ACTIVITY_STATUS_CREATED: [
    'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED',
    'ACTIVITY_STATUS_CONSENSUS_NEEDED',
    'ACTIVITY_STATUS_COMPLETED',
  ],
  ACTIVITY_STATUS_AUTHENTICATORS_NEEDED: [
    'ACTIVITY_STATUS_CONSENSUS_NEEDED',
    'ACTIVITY_STATUS_COMPLETED',
    'ACTIVITY_STATUS_FAILED',
    'ACTIVITY_STATUS_REJECTED',
  ],
  ACTIVITY_STATUS_CONSENSUS_NEEDED: [
    // What was proved lapses after a day.
    'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED',
    'ACTIVITY_STATUS_COMPLETED',
    'ACTIVITY_STATUS_FAILED',
    'ACTIVITY_STATUS_REJECTED',
  ],
  ACTIVITY_STATUS_COMPLETED: [],
  ACTIVITY_STATUS_FAILED: [],
  ACTIVITY_STATUS_REJECTED: [],
} as const satisfies Record<string, readonly string[]>

export type ActivityStatus = keyof typeof nextStatuses

/** Every status that a caller may filter by; PENDING is the clients' word for an activity that runs right now. */
export const activityStatuses = [...Object.keys(nextStatuses), 'ACTIVITY_STATUS_PENDING'] as const

/** Whether nothing can happen to it any more. */
export function isFinal(status: ActivityStatus): boolean {
  return nextStatuses[status].length === 0
}

/** The status after a move; a move that the table does not know is a bug. */
export function transition(from: ActivityStatus, to: ActivityStatus): ActivityStatus {
  const allowed: readonly string[] = nextStatuses[from]
  if (!allowed.includes(to)) throw new Error(`an activity cannot go from ${from} to ${to}`)
  return to
}

export type Vote = {
  readonly voteId: string
  readonly userId: string
  /** The organization of the voter: for some activities that is the parent. */
  readonly organizationId: string
  readonly userName: string
  readonly selection: 'VOTE_SELECTION_APPROVED' | 'VOTE_SELECTION_REJECTED'
  /** The body as it was stamped, and the stamp. */
  readonly message: string
  readonly publicKey: string
  readonly signature: string
  readonly scheme: string
  /** What the stamp proves to MFA policies; absent: nothing that they know. */
  readonly method?: AuthenticationMethod
  /** Of an attested stamp, behind which there is no credential: what its user went by, and must still go by. */
  readonly attested?: Lookup
  readonly createdAtMs: number
  /** The policies by what they came to when this vote was counted; absent where none was asked. */
  readonly policiesByOutcome?: PoliciesByOutcome
}

/** Ids. Twenty policies that are a pair each were as large as all else that is kept of a signature. */
export type PoliciesByOutcome = { readonly [K in Outcome]?: readonly string[] }

/** Why an activity that had waited could not be run: the error's answer at that time. */
export type ActivityFailure = { readonly code: number; readonly message: string; readonly details: readonly unknown[] }

/** An activity as it is sealed. Its intent is in the first vote's message and nowhere else. */
export type Activity = {
  readonly activityId: string
  readonly organizationId: string
  readonly type: string
  readonly status: ActivityStatus
  readonly fingerprint: string
  readonly result: Readonly<Record<string, unknown>>
  readonly votes: readonly Vote[]
  /** Of one that waits: the users whose approval a policy waits for, as of the last vote. */
  readonly voterIds?: readonly string[]
  /** Of one that waits: the users who have begun the steps of their MFA policy and not taken all, as of the last vote. */
  readonly provingIds?: readonly string[]
  readonly failure?: ActivityFailure
  /** Made when it completed, if one of its requests asked for them. */
  readonly appProofs?: readonly AppProof[]
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** The heads that this version of it made. Absent where it changed none, and in those of the time before books. */
  readonly made?: readonly MadeHeadName[]
}

/** A head by its place and name, its maker, and the change that made it, as the books have them. */
export type MadeHeadName = {
  readonly organizationId: string
  readonly version: number
  readonly tag: string
  readonly maker: string
  readonly changeKey: string
}

/** An activity on the wire. The times are a text in one dialect and `{seconds, nanos}` in the other. */
export const ActivityView = Type.Record(Type.String(), Type.Unknown())
