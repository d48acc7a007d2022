import type { Activity, Vote } from '../../contract/records/activity.ts'
import type { SeenCaller } from '../caller/seen_caller.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import type { Mfa } from '../rules/mfa_steps.ts'
import type { SeenRequest } from '../rules/rules.ts'

/** A vote on an activity before it is counted. A submission is the first vote, on an activity that does not exist yet. */
export type UncountedVote = {
  readonly target: SeenOrganization
  readonly caller: SeenCaller
  /** The activity with the votes before this one. That of a submission has none. */
  readonly activity: Activity
  /** The stored version of the activity. 0: this is its submission. */
  readonly version: number
  readonly vote: Vote
  readonly request: SeenRequest
  readonly mfa: Mfa
}

export function isSubmission({ version }: Pick<UncountedVote, 'version'>): boolean {
  return version === 0
}

/** Whether a user of the parent asks. Nobody can vote on that in the sub-organization. */
export function isOfParent({ target, caller }: Pick<UncountedVote, 'target' | 'caller'>): boolean {
  return caller.organization.head.organizationId !== target.head.organizationId
}
