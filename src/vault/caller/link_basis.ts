import { factorsOf, withCredentialsSince } from '../../contract/records/factors.ts'
import type { ApiKey, LinkMaker, User } from '../../contract/records/records.ts'
import { stillGoesBy } from '../../deciding/caller/attested_users.ts'
import { hasCredential } from '../../deciding/caller/credential_stamps.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { mailboxOf } from '../../protocol/wire/mail_addresses.ts'
import { openOrganization, type Sources } from '../state/organization.ts'

/**
 * Refuses a link, a mailed credential or an invitation if something that it rests on is gone: the address to which it was
 * mailed, a user who made it, or that user's credential. Otherwise a person who had a stolen session for a minute, or
 * reads a mailbox that was named by mistake, would come in later. Throws LINK_ENDED.
 */
export function requireBasis(
  sources: Sources,
  { userEmail }: Pick<User, 'userEmail'>,
  key: Pick<ApiKey, 'restsOn' | 'createdAtMs'> | undefined,
): void {
  if (key?.restsOn === undefined) return
  const { restsOn, createdAtMs } = key
  const { mailedTo, makers, hasEnded = false } = restsOn
  const hasMoved = mailedTo !== undefined && (userEmail === undefined || mailboxOf(mailedTo) !== mailboxOf(userEmail))
  if (hasEnded || hasMoved) throw new Failure('LINK_ENDED')
  if (!makers.every((maker) => isThere(sources, maker, createdAtMs))) throw new Failure('LINK_ENDED')
}

/** Whether the user is still there, with the credential by which the user made something at this time and since then. */
export function isThere(
  sources: Sources,
  { organizationId, userId, publicKey, attested, factor }: LinkMaker,
  madeAtMs: number,
): boolean {
  const found = openOrganization(sources, organizationId)?.listed('user', userId)
  if (found === undefined) return false
  const user = withCredentialsSince(found, madeAtMs)
  if (publicKey !== undefined && !hasCredential(user, publicKey)) return false
  if (attested !== undefined && !stillGoesBy(user, attested, madeAtMs)) return false
  return factor === undefined || factorsOf(user).includes(factor)
}
