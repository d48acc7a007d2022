import type { Activity, Vote } from '../../contract/records/activity.ts'
import type { Struct } from '../../policy/language/values.ts'
import type { Caller } from '../caller/caller.ts'
import type { Mfa } from '../rules/mfa_steps.ts'
import type { SeenRequest } from '../rules/rules.ts'
import type { Organization } from '../state/organization.ts'
import type { ResolvedNeeds } from '../state/resolve.ts'

/** A vote on an activity before it is counted. A submission is the first vote, on an activity that does not exist yet. */
export type Ballot = {
  readonly target: Organization
  readonly caller: Caller
  /** The activity with the votes before this one. That of a submission has none. */
  readonly activity: Activity
  /** The stored version of the activity. 0: this is its submission. */
  readonly version: number
  readonly vote: Vote
  /** The key of the request that submits, or submitted, the activity (`books/entry_names.ts` has the keys of a request). */
  readonly requestKey: string
  readonly request: VotedRequest
  /**
   * The records of the activity and of the caller. They are there also when a record that the request names is gone. A
   * submission, which cannot be made then, has those of its request among them.
   */
  readonly voteNeeds: ResolvedNeeds
  readonly mfa: Mfa
}

/** The request that an activity carries out, as the rules see it. */
export type VotedRequest = SeenRequest & {
  /** Returns what it takes to run it. Throws a `Failure` if something is gone, or conditions cannot read it fully. */
  toRun(): { readonly resolved: ResolvedNeeds; readonly facts: () => Struct }
}

export function isSubmission({ version }: Pick<Ballot, 'version'>): boolean {
  return version === 0
}

/** Whether a user of the parent asks. Nobody can vote on that in the sub-organization. */
export function isOfParent({ target, caller }: Pick<Ballot, 'target' | 'caller'>): boolean {
  return caller.organization.head.organizationId !== target.head.organizationId
}
