import { factorsOf } from '../../operations/records/factors.ts'
import type { ApiKey, LinkMaker, User } from '../../operations/records/records.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { mailboxOf } from '../../protocol/wire/mail_addresses.ts'
import { openOrganization, type Sources } from '../state/organization.ts'
import { goesBy } from './attested_stamps.ts'
import { hasCredential } from './read_stamp.ts'

/**
 * Refuses a link, a mailed credential or an invitation if something that it rests on is gone: the address to which it was
 * mailed, a user who made it, or that user's credential. Otherwise a person who had a stolen session for a minute, or
 * reads a mailbox that was named by mistake, would come in later. Throws LINK_ENDED.
 */
export function requireBasis(
  sources: Sources,
  { userEmail }: Pick<User, 'userEmail'>,
  { restsOn }: Pick<ApiKey, 'restsOn'>,
): void {
  if (restsOn === undefined) return
  const { mailedTo, makers, hasEnded = false } = restsOn
  const hasMoved = mailedTo !== undefined && (userEmail === undefined || mailboxOf(mailedTo) !== mailboxOf(userEmail))
  if (hasEnded || hasMoved) throw new Failure('LINK_ENDED')
  if (!makers.every((maker) => isThere(sources, maker))) throw new Failure('LINK_ENDED')
}

/** Whether the user is still there, with the credential. */
export function isThere(sources: Sources, { organizationId, userId, publicKey, attested, factor }: LinkMaker): boolean {
  const user = openOrganization(sources, organizationId)?.listed('user', userId)
  if (user === undefined) return false
  if (publicKey !== undefined && !hasCredential(user, publicKey)) return false
  if (attested !== undefined && !goesBy(user, attested)) return false
  return factor === undefined || factorsOf(user).includes(factor)
}
