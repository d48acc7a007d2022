import type { ActivityOperation } from '../../../operations/define.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { requestKeyOf } from '../../../protocol/wire/fingerprint.ts'
import { isJsonObject } from '../../../protocol/wire/json.ts'
import type { Envelope } from '../../caller/envelope.ts'
import type { Asking } from '../../caller/request_context.ts'
import { findKnownActivity, type KnownActivity } from '../../state/known_activity.ts'
import type { Organization } from '../../state/organization.ts'
import { operationOfActivity } from '../../state/sealed_activity.ts'
import type { Shown } from './ask.ts'
import { findByFingerprint } from './found_by_fingerprint.ts'
import { recordedCaller } from './recorded_caller.ts'

type Deleted = {
  readonly operation: ActivityOperation
  readonly envelope: Envelope
  /** The deleted organization. Only its head is left, which says that it was deleted. */
  readonly organization: Organization
}

/**
 * Finds the activity that deleted an organization when its bytes, or those of a vote on it, are sent again. A client
 * that lost the answer learns of the deletion this way. Nothing else about a deleted organization is shown.
 */
export async function findDeletion(context: Asking, asked: Deleted): Promise<Shown> {
  const { organization } = asked
  const activity = findAskedFor(context, asked)?.activity
  const isDeletion =
    activity?.status === 'ACTIVITY_STATUS_COMPLETED' && operationOfActivity(activity).operation.endsOrganization
  const caller = isDeletion ? await recordedCaller(context, { votes: activity.votes, organization }) : undefined
  if (activity === undefined || caller === undefined) {
    throw new Failure('ORGANIZATION_NOT_FOUND', organization.head.organizationId)
  }
  return { target: organization, caller, activity }
}

/** Finds the activity that the bytes made, or on which they voted. */
function findAskedFor(context: Asking, { operation, envelope, organization }: Deleted): KnownActivity | undefined {
  const { organizationId } = organization.head
  if (operation.casts !== undefined) {
    const named = isJsonObject(envelope.parameters) ? envelope.parameters.fingerprint : undefined
    return typeof named === 'string' ? findByFingerprint(context, organizationId, named) : undefined
  }
  const fingerprint = context.fingerprint()
  const requestKey = requestKeyOf(envelope.timestampMs, fingerprint)
  return findKnownActivity(context, { organizationId, requestKey, fingerprint })
}
