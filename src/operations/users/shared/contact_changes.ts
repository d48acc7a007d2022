import type { ApiKey, User } from '../../../contract/records/records.ts'
import { mailboxOf } from '../../../protocol/wire/mail_addresses.ts'

/**
 * The user after a change of contacts, without the proofs by a contact that the user no longer has. Its verification is
 * gone. Credentials that were mailed there have ended, and so have sessions that codes to it opened. The time of the
 * change tells which other proofs came before. Else all of this would be back as soon as somebody sets the same contact
 * again. `changedBy` is the key that asked for the change.
 */
export function withoutFormerContacts(
  before: User,
  after: User,
  { changedBy, nowMs }: { readonly changedBy: ApiKey | undefined; readonly nowMs: number },
): User {
  const { verifiedEmail, verifiedPhoneNumber, ...rest } = after
  const [former, present] = [contactsOf(before), contactsOf(after)]
  const hasLost = (kind: keyof Contacts) => former[kind] !== undefined && former[kind] !== present[kind]
  return {
    ...rest,
    ...(verifiedEmail !== undefined && isAmong(present, verifiedEmail) ? { verifiedEmail } : {}),
    ...(verifiedPhoneNumber !== undefined && isAmong(present, verifiedPhoneNumber) ? { verifiedPhoneNumber } : {}),
    ...(hasLost('mailbox') ? { lostEmailAtMs: nowMs } : {}),
    ...(hasLost('phoneNumber') ? { lostPhoneNumberAtMs: nowMs } : {}),
    apiKeys: keysLeft(before, after, changedBy),
  }
}

/**
 * The keys that the change leaves, without the sessions of lost contacts. If the key that asked for the change is such a
 * session, it rests on the contact that takes the place of its own.
 */
export function keysLeft(before: User, after: User, changedBy: ApiKey | undefined): readonly ApiKey[] {
  const [former, present] = [contactsOf(before), contactsOf(after)]
  const successorOf = (contact: string) =>
    contact === former.mailbox ? present.mailbox : contact === former.phoneNumber ? present.phoneNumber : undefined
  return after.apiKeys.flatMap((apiKey) => {
    const { restsOn, codeSentTo } = apiKey
    if (restsOn?.mailedTo !== undefined && !isAmong(present, restsOn.mailedTo)) {
      return [{ ...apiKey, restsOn: { ...restsOn, hasEnded: true } }]
    }
    if (codeSentTo === undefined || isAmong(present, codeSentTo)) return [apiKey]
    const successor = apiKey.apiKeyId === changedBy?.apiKeyId ? successorOf(codeSentTo) : undefined
    return successor === undefined ? [] : [{ ...apiKey, codeSentTo: successor }]
  })
}

/** Whether parameters give a user another address or number, which gets the codes of the user from then on. */
export function givesContact(parameters: unknown): boolean {
  if (typeof parameters !== 'object' || parameters === null) return false
  return ['userEmail', 'userPhoneNumber'].some((name) => (Reflect.get(parameters, name) ?? '') !== '')
}

type Contacts = Readonly<Record<'mailbox' | 'phoneNumber', string | undefined>>

/** An address, as its mailbox, and a phone number have no text in common. */
function contactsOf({ userEmail, userPhoneNumber }: User): Contacts {
  return { mailbox: userEmail === undefined ? undefined : mailboxOf(userEmail), phoneNumber: userPhoneNumber }
}

function isAmong(contacts: Contacts, contact: string): boolean {
  return Object.values(contacts).includes(mailboxOf(contact))
}
