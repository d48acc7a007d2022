import { mailboxOf } from '../../../protocol/wire/mail_addresses.ts'
import type { ApiKey, User } from '../../records/records.ts'

/**
 * The user after a change of contacts, without what a contact proved that the user no longer has: its verification is
 * gone, credentials that were mailed there have ended, and so have sessions that codes to it opened. Else all of them
 * would be back as soon as somebody sets the same contact again. `changedBy` is the key that asked for the change. If it
 * is a session of this kind, it rests on the contact that takes the place of its own.
 */
export function withoutFormerContacts(before: User, after: User, changedBy: ApiKey | undefined): User {
  const { verifiedEmail, verifiedPhoneNumber, ...rest } = after
  const [former, present] = [contactsOf(before), contactsOf(after)]
  const isOwn = (contact: string) => Object.values(present).includes(mailboxOf(contact))
  const successorOf = (contact: string) =>
    contact === former.mailbox ? present.mailbox : contact === former.phoneNumber ? present.phoneNumber : undefined

  function left(apiKey: ApiKey): readonly ApiKey[] {
    const { restsOn, codeSentTo } = apiKey
    if (restsOn?.mailedTo !== undefined && !isOwn(restsOn.mailedTo)) {
      return [{ ...apiKey, restsOn: { ...restsOn, hasEnded: true } }]
    }
    if (codeSentTo === undefined || isOwn(codeSentTo)) return [apiKey]
    const successor = apiKey.apiKeyId === changedBy?.apiKeyId ? successorOf(codeSentTo) : undefined
    return successor === undefined ? [] : [{ ...apiKey, codeSentTo: successor }]
  }

  return {
    ...rest,
    ...(verifiedEmail !== undefined && isOwn(verifiedEmail) ? { verifiedEmail } : {}),
    ...(verifiedPhoneNumber !== undefined && isOwn(verifiedPhoneNumber) ? { verifiedPhoneNumber } : {}),
    apiKeys: after.apiKeys.flatMap(left),
  }
}

/** An address, as its mailbox, and a phone number have no text in common. */
function contactsOf({ userEmail, userPhoneNumber }: User) {
  return { mailbox: userEmail === undefined ? undefined : mailboxOf(userEmail), phoneNumber: userPhoneNumber }
}
