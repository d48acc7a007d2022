import type { Activity, Vote } from '../../../contract/records/activity.ts'
import { passkeyScheme } from '../../../deciding/caller/credential_stamps.ts'
import { goneUser } from '../../../deciding/organization/submitted.ts'
import { defaultSessionProfileId } from '../../../policy/authentication_methods.ts'
import { importApiPublicKey } from '../../../protocol/stamps/api_keys.ts'
import { curveOfScheme, parseApiStamp, verifyApiStamp } from '../../../protocol/stamps/api_stamps.ts'
import {
  importAuthenticator,
  parseWebAuthnStamp,
  verifyWebAuthnStamp,
} from '../../../protocol/stamps/webauthn_stamps.ts'
import { base64urlOf } from '../../../protocol/tools/base64url.ts'
import type { Caller } from '../../caller/caller.ts'
import type { Asking } from '../../caller/request_context.ts'
import { allowedOriginsOf } from '../../caller/verify_stamp.ts'
import { type Organization, openOrganization } from '../../state/organization.ts'

type Recorded = { readonly votes: Activity['votes']; readonly organization: Organization }

/**
 * Returns the caller of bytes that one of these votes recorded, if the stamp is right by the key in that vote. The
 * activity itself has removed the credential: a client that lost the answer asks again. Nothing but the activity may
 * be shown to this caller.
 */
export async function recordedCaller(context: Asking, { votes, organization }: Recorded): Promise<Caller | undefined> {
  const message = Buffer.from(context.request.body).toString('utf8')
  for (const vote of votes.filter((vote) => vote.message === message)) {
    const isOwn = vote.organizationId === organization.head.organizationId
    const home = isOwn ? organization : openOrganization(context, vote.organizationId)
    if (home === undefined || !(await isStampedAs(context, vote, home))) continue
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

/** Whether the key of the vote stamped the request. An attested stamp has no key that a vote could keep. */
async function isStampedAs(context: Asking, vote: Vote, home: Organization): Promise<boolean> {
  if (context.stampHeader === undefined) return false
  const { header, value } = context.stampHeader
  const { body } = context.request
  const { publicKey, scheme, signature } = vote
  if (header === 'x-stamp') {
    const stamp = parseApiStamp(value)
    if (stamp.publicKey !== publicKey || stamp.scheme !== scheme) return false
    const key = importApiPublicKey({ publicKey, curveType: curveOfScheme(stamp.scheme) })
    return verifyApiStamp({ stamp, key, body })
  }
  if (header !== 'x-stamp-webauthn' || scheme !== passkeyScheme) return false
  const recorded = parseWebAuthnStamp(signature)
  const authenticator = importAuthenticator({
    credentialId: recorded.credentialId,
    rpIdHash: base64urlOf(recorded.authenticatorData.rpIdHash),
    cosePublicKey: base64urlOf(Buffer.from(publicKey, 'hex')),
  })
  const allowedOrigins = allowedOriginsOf(home)
  return verifyWebAuthnStamp({ stamp: parseWebAuthnStamp(value), authenticator, body, allowedOrigins })
}

/** The scope of a session binds what its key may see, also when the key is gone. */
function sessionProfileOf({ method }: Vote): string | undefined {
  return method?.type === 'AUTHENTICATION_TYPE_SESSION' && method.id !== defaultSessionProfileId ? method.id : undefined
}
