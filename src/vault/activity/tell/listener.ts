import type { Activity } from '../../../contract/records/activity.ts'
import type { Addition } from '../../../deciding/rules/counts.ts'
import type { CountedVote } from '../../../deciding/votes/count_vote.ts'
import type { NoticeRow, WebhookRow } from '../../../protocol/reads.ts'
import type { Reading } from '../../caller/request_context.ts'
import type { Ballot } from '../ballot.ts'
import type { Done } from '../carry_out/execute.ts'

/**
 * Makes all reads that it takes to tell somebody the effect of the vote, before anything runs, and returns the function
 * that tells. A later read would show something of the result to the service before the commit, and the operation would
 * run twice: a decision that lacks a record is made again from the start.
 */
export type Listener = (context: Reading, ballot: Ballot, counted: CountedVote) => Promise<Tell> | Tell

/** Tells what was done. This becomes part of what is recorded. */
export type Tell = (done: Done) => Promise<Told> | Told

/** The parts of what is recorded that come from a listener. */
export type Told = {
  readonly appProofs?: Activity['appProofs']
  readonly outbox?: readonly (WebhookRow | NoticeRow)[]
  /** The amounts that the books count. */
  readonly additions?: readonly Addition[]
  /** The answer to the caller. */
  readonly body?: Uint8Array
}

/** The effect of a vote with all that was told of it. */
export type ToldEffect = Done & { readonly body: Uint8Array }
