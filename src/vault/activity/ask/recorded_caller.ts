import type { Activity, Vote } from '../../../contract/records/activity.ts'
import type { Stamp } from '../../../deciding/caller/credential_stamps.ts'
import { goneUser } from '../../../deciding/organization/submitted.ts'
import { defaultSessionProfileId } from '../../../policy/authentication_methods.ts'
import type { Caller } from '../../caller/caller.ts'
import type { Asking } from '../../caller/request_context.ts'
import { isVerified } from '../../caller/verify_stamp.ts'
import { type Organization, openOrganization } from '../../state/organization.ts'

type Recorded = {
  readonly stamp: Stamp
  readonly votes: Activity['votes']
  readonly organization: Organization
}

/**
 * Returns the caller of bytes that one of these votes recorded, if the stamp is right by the key in that vote. The
 * activity itself has removed the credential: a client that lost the answer asks again. Nothing but the activity may
 * be shown to this caller.
 */
export async function recordedCaller(
  context: Asking,
  { stamp, votes, organization }: Recorded,
): Promise<Caller | undefined> {
  const message = Buffer.from(context.request.body).toString('utf8')
  for (const vote of votes.filter((vote) => vote.message === message)) {
    const isOwn = vote.organizationId === organization.head.organizationId
    const home = isOwn ? organization : openOrganization(context, vote.organizationId)
    const proof = stamp.proofByRecorded?.(vote)
    if (home === undefined || proof === undefined) continue
    if (!(await isVerified(context, { organization: home, proof }))) continue
    const { publicKey, signature, scheme, userId } = vote
    return {
      stamp: { publicKey, signature, scheme },
      uses: undefined,
      credentialType: undefined,
      sessionProfileId: sessionProfileOf(vote),
      method: vote.method,
      openedBy: vote.openedBy,
      attested: undefined,
      user: home.listed('user', userId) ?? goneUser(vote),
      organization: home,
    }
  }
  return undefined
}

/** The scope of a session binds what its key may see, also when the key is gone. */
function sessionProfileOf({ method }: Vote): string | undefined {
  return method?.type === 'AUTHENTICATION_TYPE_SESSION' && method.id !== defaultSessionProfileId ? method.id : undefined
}
