import type { Id } from '../../fields/ids.ts'
import type { Lookup } from '../lookup_types.ts'
import type { Times } from './record_times.ts'

export const accessTypes = ['ACCESS_TYPE_WEB', 'ACCESS_TYPE_API', 'ACCESS_TYPE_ALL'] as const
export type AccessType = (typeof accessTypes)[number]

export const invitationStatuses = [
  'INVITATION_STATUS_CREATED',
  'INVITATION_STATUS_ACCEPTED',
  'INVITATION_STATUS_REVOKED',
] as const
export type InvitationStatus = (typeof invitationStatuses)[number]

/**
 * An invitation to become a user. Only a mail has the private half of its key: a reader of the mail may accept.
 */
export type Invitation = Times & {
  readonly invitationId: Id
  /** The id that the invited person has as a user. Nobody has it before the invitation is accepted. */
  readonly userId: Id
  readonly receiverUserName: string
  readonly receiverEmail: string
  readonly receiverUserTags: readonly Id[]
  readonly accessType: AccessType
  readonly senderUserId: Id
  readonly status: InvitationStatus
  /** A compressed point of P-256 in lower-case hex. While the invitation is open, its key accepts it. */
  readonly publicKey: string
  readonly expiresAtMs: number
  /** Absent in those that are older than this member. */
  readonly restsOn?: LinkBasis
}

/** The facts on which a link that lets its holder in rests. It ends with each of these. */
export type LinkBasis = {
  /** The address to which it was mailed, as its user had it. */
  readonly mailedTo?: string
  /** The user had another address since. */
  readonly hasEnded?: boolean
  readonly makers: readonly LinkMaker[]
}

/**
 * A user in whose name a link was made, with that by which the user made it: one of the last three members. The user in
 * whose name an invitation is has none of them, and so may the maker in an older record.
 */
export type LinkMaker = {
  readonly organizationId: string
  readonly userId: Id
  /** The key of the credential that stamped the request: an API key, a passkey or a session. */
  readonly publicKey?: string
  /** The contact or identity of an attested stamp, whose key is no credential. */
  readonly attested?: Lookup
  /** The factor that stamped the request, or that opened the session which did, as `factorOf` of `policy/mfa.ts` names it. */
  readonly factor?: string
}
