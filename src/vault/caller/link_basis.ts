import type { ApiKey, User } from '../../contract/records/records.ts'
import { isMakerThere } from '../../deciding/caller/link_makers.ts'
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
  const find = (organizationId: string) => openOrganization(sources, organizationId)
  if (!makers.every((maker) => isMakerThere(find, maker, createdAtMs))) throw new Failure('LINK_ENDED')
}
