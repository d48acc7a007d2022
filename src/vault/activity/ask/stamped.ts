import type { ActivityOperation } from '../../../contract/operation.ts'
import type { Stamp } from '../../../deciding/caller/credential_stamps.ts'
import { submissionOf } from '../../../deciding/organization/submitted.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import type { JsonObject } from '../../../protocol/wire/json.ts'
import type { Caller } from '../../caller/caller.ts'
import { type Envelope, readEnvelope } from '../../caller/envelope.ts'
import { identify, readStamp } from '../../caller/identify.ts'
import { requireAllowedSource } from '../../caller/ip_allowlists.ts'
import type { Asking } from '../../caller/request_context.ts'
import { findByBytes } from '../../state/known_activity.ts'
import { type Organization, openEvenDeleted } from '../../state/organization.ts'
import { findDeletion } from './deleted_organization.ts'
import { askIdentified } from './identified.ts'
import { recordedCaller } from './recorded_caller.ts'
import type { VoteOrAnswer } from './vote_or_answer.ts'

/** Reads who asks for what by a stamped request. */
export async function askStamped(
  context: Asking,
  operation: ActivityOperation,
  body: JsonObject,
): Promise<VoteOrAnswer> {
  const envelope = readEnvelope(operation, body)
  const stamp = await readStamp(context)
  const named = openEvenDeleted(context, envelope.organizationId)
  if (named === undefined) throw new Failure('ORGANIZATION_NOT_FOUND', envelope.organizationId)
  if (named.head.deletedAtMs !== undefined) {
    return { kind: 'shown', ...(await findDeletion(context, { operation, envelope, organization: named, stamp })) }
  }
  const caller = await identifyOrRecorded(context, { operation, envelope, organization: named, stamp })
  // If the parent's id stood for a sub-organization, that sub-organization is the target from here on.
  const target = caller.organization.head.parentId === named.head.organizationId ? caller.organization : named
  return askIdentified(context, { operation, envelope, target, caller })
}

type Stamped = {
  readonly operation: ActivityOperation
  readonly envelope: Envelope
  readonly organization: Organization
  readonly stamp: Stamp
}

/** Returns the caller. For bytes whose own activity has removed the credential that stamped them, it is the one of then. */
async function identifyOrRecorded(
  context: Asking,
  { operation, envelope, organization, stamp }: Stamped,
): Promise<Caller> {
  try {
    return await identify(context, { operation, target: organization, stamp })
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== stamp.failures.notFound) throw error
    const { organizationId } = organization.head
    const activity = findByBytes(context, { organizationId, timestampMs: envelope.timestampMs })?.activity
    if (activity?.removedOwnCredential !== true) throw error
    const caller = await recordedCaller(context, { stamp, votes: [submissionOf(activity)], organization })
    if (caller === undefined) throw error
    requireAllowedSource(context, { target: organization, caller })
    return caller
  }
}
