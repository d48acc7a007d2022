import { contactsOf, knownContact } from './known_values.ts'
import { wholeTokenMs } from './recent_changes.ts'
import type { Lookup, User, WithoutTimes } from './records.ts'

type Code = { readonly codeSentAtMs?: number; readonly expiresAtMs: number }

/**
 * The earliest time at which the code of a verification token was sent. Tokens from before they said it count as those
 * that have lived the longest.
 */
export function codeSentAtMsOf({ codeSentAtMs, expiresAtMs }: Code): number {
  return codeSentAtMs ?? expiresAtMs - wholeTokenMs
}

/** Whether the user had the contact of a lookup already when a code to it was sent. */
export function hadContact(user: User, contact: Lookup, codeSentAtMs: number): boolean {
  return gotAtMs(user, contact) <= codeSentAtMs
}

/**
 * When the user got the contact, which is when the record was made or the contact last came. Changes are kept for as long
 * as a token from before them can be good.
 */
function gotAtMs({ createdAtMs, recentChanges = [] }: User, contact: Lookup): number {
  const { what, value } = knownContact(contact)
  const changes = recentChanges.filter((change) => change.what === what)
  const own = changes.find((change) => change.value === value)
  // A change without a value may have been of this contact.
  const any = changes.find((change) => change.value === undefined)
  return own?.atMs ?? Math.max(createdAtMs, any?.atMs ?? 0)
}

/**
 * How much older than a new sub-organization its contacts count. Backends make it between the code of a person and the
 * login by it, and client packages give no token to it. It has room for the longest code.
 */
const beforeSignUpMs = 15 * 60_000

type ProvedContact = { readonly contact: Lookup; readonly codeSentAtMs: number | undefined }

/**
 * A root user of a new sub-organization, with the times since when the user has the contacts. One that a token proves came
 * with the code of that token.
 */
export function signedUpSince(
  user: WithoutTimes<User>,
  { proved, nowMs }: { readonly proved?: ProvedContact; readonly nowMs: number },
): WithoutTimes<User> {
  const own = proved && knownContact(proved.contact)
  const statedAtMs = nowMs - beforeSignUpMs
  const atMsOf = (what: string) => (what === own?.what ? (proved?.codeSentAtMs ?? statedAtMs) : statedAtMs)
  return { ...user, recentChanges: contactsOf(user).map((known) => ({ ...known, atMs: atMsOf(known.what) })) }
}
