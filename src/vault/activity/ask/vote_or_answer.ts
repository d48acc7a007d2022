import type { ActivityOperation } from '../../../contract/operation.ts'
import type { Activity } from '../../../contract/records/activity.ts'
import type { Caller } from '../../caller/caller.ts'
import type { Envelope } from '../../caller/envelope.ts'
import type { Organization } from '../../state/organization.ts'
import type { Ballot } from '../ballot.ts'

/** A request whose caller is known, and the organization that it is about. */
export type IdentifiedRequest = {
  readonly operation: ActivityOperation
  readonly envelope: Envelope
  readonly target: Organization
  readonly caller: Caller
}

/** A request comes to an answer of the auth proxy, to an activity that is shown as it is, or to a vote. */
export type VoteOrAnswer = { readonly kind: 'answered'; readonly result: object } | VoteOrShown

export type VoteOrShown = (Shown & { readonly kind: 'shown' }) | { readonly kind: 'cast'; readonly ballot: Ballot }

export type Shown = { readonly target: Organization; readonly caller: Caller; readonly activity: Activity }
