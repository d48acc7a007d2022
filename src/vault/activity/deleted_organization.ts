import type { ActivityOperation } from '../../operations/define.ts'
import { importApiPublicKey } from '../../protocol/stamps/api_keys.ts'
import { curveOfScheme, parseApiStamp, verifyApiStamp } from '../../protocol/stamps/stamps.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { fingerprintOf, requestKeyOf } from '../../protocol/wire/fingerprint.ts'
import { isJsonObject } from '../../protocol/wire/json.ts'
import type { Envelope } from '../caller/envelope.ts'
import type { RequestContext } from '../caller/request_context.ts'
import type { Organization } from '../state/organization.ts'
import { goneUser, operationOfActivity } from '../state/sealed_activity.ts'
import { findKnownActivity, type KnownActivity } from './known_activity.ts'
import { show } from './record_activity.ts'
import type { Decided } from './release.ts'
import { findByFingerprint } from './vote.ts'

type Asked = {
  readonly operation: ActivityOperation
  readonly envelope: Envelope
  /** What is left of it: a head that says that it was deleted. */
  readonly organization: Organization
}

/**
 * The one thing that is still told of an organization that was deleted: the activity that deleted it, when its bytes or
 * those of a vote on it are sent again, so that a client that lost the answer learns of it. Its users are gone; the keys
 * with which they voted stand in the activity, and only those are answered. A passkey's does not: it is 404 like any other.
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
  const fingerprint = fingerprintOf(context.request.body)
  const requestKey = requestKeyOf(envelope.timestampMs, fingerprint)
  return findKnownActivity(context, { organizationId, requestKey, fingerprint })
}
