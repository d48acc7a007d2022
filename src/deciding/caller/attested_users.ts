import { hadContact } from '../../contract/records/contact_times.ts'
import { type Lookup, recordKinds, type User } from '../../contract/records/records.ts'

/** Whether the user still has the contact or identity that an attestation names. */
export function goesBy(user: User, { lookup, key }: Lookup): boolean {
  return recordKinds.user.lookupsOf(user).some((own) => own.lookup === lookup && own.key === key)
}

/** The contact or identity that a token proves. A contact has the time at which its code was sent. */
export type Proved = Lookup & { readonly codeSentAtMs?: number | undefined }

/** Whether the user goes by what a token proves, and had the contact already when its code was sent. */
export function isProvedBy(user: User, { codeSentAtMs, ...proved }: Proved): boolean {
  return goesBy(user, proved) && (codeSentAtMs === undefined || hadContact(user, proved, codeSentAtMs))
}

/** Whether the user goes by a contact or identity that was proved at this time, and has not lost the contact since. */
export function stillGoesBy(user: User, proved: Lookup, provedAtMs: number): boolean {
  const lostAtMs = lostAtMsOf(user, proved)
  return goesBy(user, proved) && (lostAtMs === undefined || lostAtMs < provedAtMs)
}

function lostAtMsOf({ lostEmailAtMs, lostPhoneNumberAtMs }: User, { lookup }: Lookup): number | undefined {
  switch (lookup) {
    case 'user_email':
    case 'verified_email':
      return lostEmailAtMs
    case 'user_phone_number':
    case 'verified_phone_number':
      return lostPhoneNumberAtMs
    default:
      return undefined
  }
}
