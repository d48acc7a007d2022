import type { ActivityOperation } from '../../../contract/operation.ts'
import type { Activity } from '../../../contract/records/activity.ts'
import type { JsonObject } from '../../../protocol/wire/json.ts'
import type { Caller } from '../../caller/caller.ts'
import type { Envelope } from '../../caller/envelope.ts'
import type { Organization } from '../../state/organization.ts'
import type { Ballot } from '../ballot.ts'

/** A request whose caller is known, and the organization that it is about. */
export type Called = {
  readonly operation: ActivityOperation
  readonly envelope: Envelope
  readonly target: Organization
  readonly caller: Caller
  readonly body: JsonObject
}

/** The request of some bytes: an answer of the auth proxy, an activity that is shown as it is, or a vote. */
export type Ask = { readonly kind: 'answered'; readonly result: object } | ActivityAsk

export type ActivityAsk = (Shown & { readonly kind: 'shown' }) | { readonly kind: 'cast'; readonly ballot: Ballot }

export type Shown = { readonly target: Organization; readonly caller: Caller; readonly activity: Activity }
