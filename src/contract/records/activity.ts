import type { AuthenticationMethod } from '../../policy/authentication_methods.ts'
import type { Outcome } from '../../policy/decision/effects.ts'
import type { AppProof } from '../../protocol/tvc/app_proof.ts'
import { oneOf } from '../fields/fields.ts'
import type { Id } from '../fields/ids.ts'
import { named } from '../fields/named.ts'
import type { PublicChanges } from './public_changes.ts'
import type { ApiKey, Lookup } from './records.ts'

/**
 * The statuses that may follow each status. CREATED is never stored, because a refused request leaves nothing. FAILED
 * is for an activity that waited for votes or proofs and could not run when the last of them came.
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
    // A proof lapses after a day.
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

/** The statuses by which a caller may filter. Clients call an activity that runs right now PENDING. */
export const activityStatuses = [...Object.keys(nextStatuses), 'ACTIVITY_STATUS_PENDING'] as const

export const ActivityStatusName = oneOf(activityStatuses, named('ActivityStatus'))

/** Whether the status never changes again. */
export function isFinal(status: ActivityStatus): boolean {
  return nextStatuses[status].length === 0
}

/** Returns the new status. A move that the table does not have is a bug. */
export function transition(from: ActivityStatus, to: ActivityStatus): ActivityStatus {
  const allowed: readonly string[] = nextStatuses[from]
  if (!allowed.includes(to)) throw new Error(`an activity cannot go from ${from} to ${to}`)
  return to
}

/** The lookup that the token of a stamp proves, and from when on that token is too old to log in. */
export type Attested = Lookup & {
  /** Absent in votes from before it was kept. */
  readonly tooOldAtMs?: number
}

export type Vote = {
  readonly voteId: string
  readonly userId: Id
  /** The organization of the voter: the parent's, if its user votes here. */
  readonly organizationId: string
  readonly userName: string
  readonly selection: 'VOTE_SELECTION_APPROVED' | 'VOTE_SELECTION_REJECTED'
  /** The body as it was stamped. The fields after it are its stamp. */
  readonly message: string
  readonly publicKey: string
  readonly signature: string
  readonly scheme: string
  /** The method that the stamp proves to MFA policies. Absent: no method that they know. */
  readonly method?: AuthenticationMethod
  /** The factor by which the session was opened, if a session stamped this. */
  readonly openedBy?: string
  /** For an attested stamp, which has no credential: the lookup by which its user was found and must still be found. */
  readonly attested?: Attested
  /** On a submission that a link of the operator stamped: its key, which no record has. The submission used it up. */
  readonly operatorLink?: ApiKey
  /**
   * On the submission of the auth proxy, which nobody stamped: it is no vote of a user. The message is the vault's own,
   * made of the request.
   */
  readonly isUnstamped?: true
  /** On what the auth proxy asked, or a session or token of it. */
  readonly isOfAuthProxy?: true
  readonly createdAtMs: number
  /** The policies by their outcomes when this vote was counted. Absent if no policy was asked. */
  readonly policiesByOutcome?: PoliciesByOutcome
  /** The smart contract interfaces by which those policies were shown a call. Absent if there were none. */
  readonly smartContractInterfaceIds?: readonly string[]
}

/** Lists of policy ids. With a pair for each policy, twenty policies would take as much as the rest of a signature. */
export type PoliciesByOutcome = { readonly [K in Outcome]?: readonly string[] }

/** Why an activity that had waited could not run: the answer with the error at that time. */
export type ActivityFailure = { readonly code: number; readonly message: string; readonly details: readonly unknown[] }

/** An activity as it is sealed. Its intent is only in the message of the first vote. */
export type Activity = {
  readonly activityId: Id
  readonly organizationId: string
  readonly type: string
  readonly status: ActivityStatus
  readonly fingerprint: string
  readonly result: Readonly<Record<string, unknown>>
  readonly votes: readonly Vote[]
  /** The users for whose approval a policy waits, or waited at an earlier vote, besides the root quorum. */
  readonly voterIds?: readonly string[]
  /** By each of these policies, the places in `voterIds` of those for whom it waited. Absent in older activities. */
  readonly voterPlaces?: { readonly [policyId: string]: readonly number[] }
  /**
   * While the activity waits: the submitter and the voters who owe a step of their MFA policy, as of the last vote.
   */
  readonly provingIds?: readonly string[]
  /** While the activity waits: whether a policy that waits names `credentials`, as of the last vote. */
  readonly countsCredentials?: boolean
  /** For a login that has to wait: the address from which it was submitted, if that was known. No answer shows it. */
  readonly submittedFrom?: string | undefined
  readonly failure?: ActivityFailure
  /** Whether the activity removed the credential that stamped its submission. */
  readonly removedOwnCredential?: true
  /** Made at completion, if one of the activity's requests asked for proofs. */
  readonly appProofs?: readonly AppProof[]
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /**
   * The heads that this version of the activity made. Absent if it made none, and in activities older than the books.
   */
  readonly made?: readonly MadeHeadName[]
  /** The transparency log that has an entry of this version. Absent in activities that are older than these logs. */
  readonly log?: string
  /** The wallet accounts that this version of the activity made or changed. No head lists them. */
  readonly accounts?: readonly WrittenAccount[] | undefined
  /** By version: what an auditor sees of the changes, which records do not tell later. Absent: none of them changed any. */
  readonly changes?: readonly (readonly PublicChanges[])[] | undefined
}

export type WrittenAccount = {
  readonly organizationId: string
  readonly walletId: string
  readonly walletAccountId: string
  readonly version: number
}

/** A head on the books: its place, its name, its maker and the change that made it. */
export type MadeHeadName = {
  readonly organizationId: string
  readonly version: number
  readonly tag: string
  readonly maker: string
  readonly changeKey: string
}
