import type { SeenRequest } from '../../deciding/rules/rules.ts'
import type { UncountedVote } from '../../deciding/votes/uncounted_vote.ts'
import type { Struct } from '../../policy/language/expression_values.ts'
import type { Caller } from '../caller/caller.ts'
import type { Organization } from '../state/organization.ts'
import type { ResolvedNeeds } from '../state/resolve.ts'

/** A vote before it is counted, with what it takes to carry it out. */
export type Ballot = Omit<UncountedVote, 'target' | 'caller' | 'request'> & {
  readonly target: Organization
  readonly caller: Caller
  /** The key of the request that submits, or submitted, the activity (`books/entry_names.ts` has the keys of a request). */
  readonly requestKey: string
  readonly request: VotedRequest
  /**
   * The records of the activity and of the caller. They are there also when a record that the request names is gone. A
   * submission, which cannot be made then, has those of its request among them.
   */
  readonly voteRecords: ResolvedNeeds
}

/** The request that an activity carries out, as the rules see it. */
export type VotedRequest = SeenRequest & {
  /** Returns what it takes to run it. Throws a `Failure` if something is gone, or conditions cannot read it fully. */
  toRun(): { readonly resolved: ResolvedNeeds; readonly facts: () => Struct }
}
