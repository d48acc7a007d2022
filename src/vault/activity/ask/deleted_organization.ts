import type { ActivityOperation } from '../../../contract/define.ts'
import type { Stamp } from '../../../deciding/caller/credential_stamps.ts'
import { operationOfActivity } from '../../../deciding/organization/submitted.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { isJsonObject } from '../../../protocol/wire/json.ts'
import type { Envelope } from '../../caller/envelope.ts'
import type { Asking } from '../../caller/request_context.ts'
import { findByBytes, findByFingerprint } from '../../state/known_activity.ts'
import type { Organization } from '../../state/organization.ts'
import { recordedCaller } from './recorded_caller.ts'
import type { Shown } from './vote_or_answer.ts'

type Deleted = {
  readonly operation: ActivityOperation
  readonly envelope: Envelope
  /** The deleted organization. Only its head is left, which says that it was deleted. */
  readonly organization: Organization
  readonly stamp: Stamp
}

/**
 * Finds the activity that deleted an organization when its bytes, or those of a vote on it, are sent again. A client
 * that lost the answer learns of the deletion this way. Nothing else about a deleted organization is shown.
 */
export async function findDeletion(
  context: Asking,
  { operation, envelope, organization, stamp }: Deleted,
): Promise<Shown> {
  const { organizationId } = organization.head
  const { timestampMs, parameters } = envelope
  const named = operation.casts !== undefined && isJsonObject(parameters) ? parameters.fingerprint : undefined
  // The bytes made the activity, or voted on it.
  const known =
    operation.casts === undefined
      ? findByBytes(context, { organizationId, timestampMs })
      : typeof named === 'string'
        ? findByFingerprint(context, organizationId, named)
        : undefined
  const activity = known?.activity
  const isDeletion =
    activity?.status === 'ACTIVITY_STATUS_COMPLETED' && operationOfActivity(activity).operation.endsOrganization
  const caller = isDeletion ? await recordedCaller(context, { stamp, votes: activity.votes, organization }) : undefined
  if (activity === undefined || caller === undefined) throw new Failure('ORGANIZATION_NOT_FOUND', organizationId)
  return { target: organization, caller, activity }
}
