import type { ActivityOperation } from '../../operations/define.ts'
import { importApiPublicKey } from '../../protocol/stamps/api_keys.ts'
import { curveOfScheme, parseApiStamp, verifyApiStamp } from '../../protocol/stamps/stamps.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { requestKeyOf } from '../../protocol/wire/fingerprint.ts'
import { isJsonObject } from '../../protocol/wire/json.ts'
import type { Envelope } from '../caller/envelope.ts'
import type { RequestContext } from '../caller/request_context.ts'
import type { Organization } from '../state/organization.ts'
import { operationOfActivity } from '../state/sealed_activity.ts'
import { goneUser } from './activity_viewer.ts'
import { findKnownActivity, type KnownActivity } from './known_activity.ts'
import { show } from './record_activity.ts'
import type { Decided } from './release.ts'
import { findByFingerprint } from './vote.ts'

type Asked = {
  readonly operation: ActivityOperation
  readonly envelope: Envelope
  /** The deleted organization. Only its head is left, which says that it was deleted. */
  readonly organization: Organization
}

/**
 * Shows the activity that deleted an organization when its bytes, or those of a vote on it, are sent again. A client
 * that lost the answer learns of the deletion this way. Nothing else about a deleted organization is shown. Its users
 * are gone, but the activity holds the public keys of its votes. Only API keys among these get the answer; any other
 * stamp, a passkey's too, gets ORGANIZATION_NOT_FOUND.
 */
export async function showDeletion(context: RequestContext, asked: Asked): Promise<Decided> {
  const { organization } = asked
  const { header, value } = context.stampHeader
  if (header !== 'x-stamp') throw new Failure('ORGANIZATION_NOT_FOUND')
  const stamp = parseApiStamp(value)
  const activity = findAskedFor(context, asked)?.activity
  const isDeletion =
    activity?.status === 'ACTIVITY_STATUS_COMPLETED' && operationOfActivity(activity).operation.endsOrganization
  const vote = isDeletion
    ? activity.votes.find(({ publicKey, scheme }) => publicKey === stamp.publicKey && scheme === stamp.scheme)
    : undefined
  if (activity === undefined || vote === undefined) throw new Failure('ORGANIZATION_NOT_FOUND')
  const key = importApiPublicKey({ publicKey: vote.publicKey, curveType: curveOfScheme(stamp.scheme) })
  if (!(await verifyApiStamp({ stamp, key, body: context.request.body }))) throw new Failure('ORGANIZATION_NOT_FOUND')
  const { publicKey, signature, scheme } = vote
  const caller = {
    stamp: { publicKey, signature, scheme },
    uses: undefined,
    credentialType: undefined,
    sessionProfileId: undefined,
    method: undefined,
    attested: undefined,
    organization,
    user: goneUser(vote),
  }
  return show(context, { target: organization, caller }, activity)
}

function findAskedFor(
  context: RequestContext,
  { operation, envelope, organization }: Asked,
): KnownActivity | undefined {
  const { organizationId } = organization.head
  if (operation.casts !== undefined) {
    const named = isJsonObject(envelope.parameters) ? envelope.parameters.fingerprint : undefined
    return typeof named === 'string' ? findByFingerprint(context, organizationId, named) : undefined
  }
  const fingerprint = context.fingerprint()
  const requestKey = requestKeyOf(envelope.timestampMs, fingerprint)
  return findKnownActivity(context, { organizationId, requestKey, fingerprint })
}
