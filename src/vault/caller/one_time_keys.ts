import type { Invitation, User } from '../../contract/records/records.ts'
import type { Proof, Stamp } from '../../deciding/caller/credential_stamps.ts'
import { inviteeOf } from '../../deciding/caller/invitee.ts'
import type { VaultRequest } from '../../link/verbs.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { credentialOf } from '../state/operator_links.ts'
import type { Organization } from '../state/organization.ts'
import type { VaultServices } from '../state/vault_services.ts'

/** A link of the operator. Its use is counted as that of a token. */
export type UsedLink = { readonly id: string; readonly organizationId: string; readonly isLink: true }

/** A user whom a stamp may have been made by, in the organization where the credential is. */
export type FoundUser = {
  readonly user: User
  readonly organization: Organization
  readonly proof: Proof
  /** The invitation whose link made the stamp. */
  readonly invitation?: Invitation | undefined
  /** The link of the operator that made the stamp, which an activity uses up. */
  readonly link?: UsedLink
  /** On a key that the user claims: whether the request proves that the user has it, because nobody else could have sent it. */
  readonly provesClaim?: () => boolean
}

type LocalRequest = {
  readonly services: Pick<VaultServices, 'operatorLinks'>
  readonly request: Pick<VaultRequest, 'isLocal'>
}

/**
 * Finds the user for whom the operator made a link. Links are in the vault's memory, whatever the database shows. The
 * user has the link's key for this request only.
 */
export function foundByLink(
  { services: { operatorLinks }, request }: LocalRequest,
  organization: Organization,
  { lookup, key: publicKey, proofOf }: Stamp,
): FoundUser | undefined {
  const { organizationId } = organization.head
  const made = lookup === 'credential' ? operatorLinks.find({ organizationId, publicKey }) : undefined
  const stored = made && organization.listed('user', made.userId)
  if (made === undefined || stored === undefined) return undefined
  const user = { ...stored, apiKeys: [...stored.apiKeys, credentialOf(made)] }
  const proof = proofOf(user)
  if (proof === undefined) return undefined
  if (request.isLocal !== true) throw new Failure('LINK_NOT_LOCAL')
  return { user, organization, proof, link: { id: made.linkId, organizationId, isLink: true } }
}

/** The person whom an open invitation invites, as the user who that person will be, with the link's key alone. */
export function foundInvited(
  organization: Organization,
  invitationId: string,
  { proofOf }: Pick<Stamp, 'proofOf'>,
): FoundUser | undefined {
  const invitation = organization.listed('invitation', invitationId)
  if (invitation?.status !== 'INVITATION_STATUS_CREATED') return undefined
  const user = inviteeOf(invitation)
  const proof = proofOf(user)
  return proof && { user, organization, proof, invitation }
}
