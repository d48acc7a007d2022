import { mailboxOf } from '../../../protocol/wire/mail_addresses.ts'
import type { User } from '../../records/records.ts'

/**
 * The user without what a contact proved that the user no longer has: its verification is gone, and credentials that
 * were mailed there have ended. Else both would be back as soon as somebody sets the same contact again.
 */
export function withoutFormerContacts(user: User): User {
  const { verifiedEmail, verifiedPhoneNumber, ...rest } = user
  const mailbox = user.userEmail === undefined ? undefined : mailboxOf(user.userEmail)
  const isOwn = (address: string) => mailboxOf(address) === mailbox
  return {
    ...rest,
    ...(verifiedEmail !== undefined && isOwn(verifiedEmail) ? { verifiedEmail } : {}),
    ...(verifiedPhoneNumber !== undefined && verifiedPhoneNumber === user.userPhoneNumber
      ? { verifiedPhoneNumber }
      : {}),
    apiKeys: user.apiKeys.map((apiKey) => {
      const { restsOn } = apiKey
      const hasEnded = restsOn?.mailedTo !== undefined && !isOwn(restsOn.mailedTo)
      return hasEnded ? { ...apiKey, restsOn: { ...restsOn, hasEnded } } : apiKey
    }),
  }
}
