import { spelledLabel } from '../../protocol/wire/labels.ts'
import { mailboxOf } from '../../protocol/wire/mail_addresses.ts'
import type { Lookup } from './lookup_types.ts'
import { type Known, tagged } from './recent_changes.ts'
import type { Invitation, PrivateKey, User, Wallet } from './record_types.ts'

/** The values by which rules name a record, its contacts, and one that stands for all MFA policies of a user. */

export function knownOfUser(user: User): readonly Known[] {
  const { userName, userTags, mfaPolicies = [] } = user
  const lastMs = Math.max(...mfaPolicies.map(({ updatedAtMs }) => updatedAtMs))
  return [
    nameOf(userName),
    ...userTags.map(tagOf),
    ...contactsOf(user),
    ...(mfaPolicies.length === 0 ? [] : [{ what: 'MFA policies', value: `${mfaPolicies.length} ${lastMs}` }]),
  ]
}

export function contactsOf({
  userEmail,
  userPhoneNumber,
}: Pick<User, 'userEmail' | 'userPhoneNumber'>): readonly Known[] {
  return [
    // Rules see the empty text where there is none.
    { what: 'address', value: mailboxOf(userEmail ?? '') },
    ...(userPhoneNumber === undefined ? [] : [{ what: 'phone number', value: userPhoneNumber }]),
  ]
}

/** A contact by which a user is found, under the name by which the changes of the user have it. */
export function knownContact({ lookup, key: value }: Lookup): Known {
  return { what: lookup === 'user_email' || lookup === 'verified_email' ? 'address' : 'phone number', value }
}

export function knownOfWallet({ walletName }: Wallet): readonly Known[] {
  return [nameOf(walletName)]
}

export function knownOfPrivateKey({ privateKeyName, privateKeyTags }: PrivateKey): readonly Known[] {
  return [nameOf(privateKeyName), ...privateKeyTags.map(tagOf)]
}

/** Those of the user whom it makes. */
export function knownOfInvitation(invitation: Invitation): readonly Known[] {
  const { receiverUserName, receiverEmail, receiverUserTags } = invitation
  return [
    nameOf(receiverUserName),
    { what: 'address', value: mailboxOf(receiverEmail) },
    ...receiverUserTags.map(tagOf),
  ]
}

function nameOf(name: string): Known {
  return { what: 'name', value: spelledLabel(name) }
}

function tagOf(tagId: string): Known {
  return { what: tagged, value: tagId }
}
