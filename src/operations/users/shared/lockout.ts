import type { Quorum } from '../../../contract/define.ts'
import { isOff } from '../../../contract/records/features.ts'
import type { Feature, User, WithoutTimes } from '../../../contract/records/records.ts'
import { fieldRefused } from '../../../protocol/wire/failures.ts'
import { passcodeSwitches } from '../../../protocol/wire/feature_names.ts'

type Features = readonly WithoutTimes<Feature>[]

/** `fieldPath`: the field of the request that a refusal names. */
type Place = { readonly rootQuorum: Quorum; readonly fieldPath: string }
type WithUsers = { readonly users: readonly User[] }
type WithFeatures = { readonly features: Features }

/**
 * Whether the user has a lasting way to approve: a passkey, an API key that does not expire, or an OAuth provider,
 * which opens sessions. Contacts do not count: a login by passcode needs somebody else to send the passcode.
 */
function canApprove({ authenticators, apiKeys, oauthProviders }: User): boolean {
  return (
    authenticators.length > 0 ||
    oauthProviders.length > 0 ||
    apiKeys.some(({ expirationSeconds }) => expirationSeconds === undefined)
  )
}

/**
 * Refuses to take credentials from a user if too few members of the root quorum could then approve, or log in at all:
 * nobody could mend that. If too few could approve already, as where members log in by mail, the removal needs only
 * enough members who can log in.
 */
export function requireApprovers(
  left: User,
  { rootQuorum: { threshold, userIds }, users, features, fieldPath }: Place & WithUsers & WithFeatures,
): void {
  const members = users.filter(({ userId }) => userIds.includes(userId))
  const membersLeft = members.map((member) => (member.userId === left.userId ? left : member))
  const canLogIn = (member: User) => hasWayIn(member, features)
  const staysEnough = (can: (member: User) => boolean) =>
    membersLeft.filter(can).length >= threshold || members.filter(can).length < threshold
  if (staysEnough(canApprove) && staysEnough(canLogIn)) return
  throw fieldRefused(
    fieldPath,
    'this would leave the root quorum without enough members who have a credential; add one first',
  )
}

/** Refuses to leave a member of the root quorum without any way to log in. */
export function requireWayIn(left: User, { rootQuorum, features, fieldPath }: Place & WithFeatures): void {
  if (!rootQuorum.userIds.includes(left.userId) || hasWayIn(left, features)) return
  throw fieldRefused(
    fieldPath,
    'this would leave a member of the root quorum without a way to log in; add another one first',
  )
}

/** Refuses to switch a way in off if too few members of the root quorum could then log in. */
export function requireQuorumWayIn(
  features: { readonly before: Features; readonly after: Features },
  { rootQuorum: { threshold, userIds }, users, fieldPath }: Place & WithUsers,
): void {
  const members = users.filter(({ userId }) => userIds.includes(userId))
  const isEnough = (some: Features) => members.filter((member) => hasWayIn(member, some)).length >= threshold
  if (isEnough(features.after) || !isEnough(features.before)) return
  throw fieldRefused(
    fieldPath,
    'this would leave the root quorum without enough members who can log in; add another way in first',
  )
}

/**
 * Whether the user has a lasting way to log in: a credential, or a contact whose passcodes are on. The key of a session
 * does not last.
 */
export function hasWayIn(user: User, features: Features): boolean {
  return canApprove(user) || canGetPasscode(user, features)
}

type Contacts = { readonly [K in 'userEmail' | 'userPhoneNumber']?: string | undefined }

export function canGetPasscode({ userEmail, userPhoneNumber }: Contacts, features: Features): boolean {
  if (userEmail !== undefined && !isOff(features, passcodeSwitches.OTP_TYPE_EMAIL)) return true
  return userPhoneNumber !== undefined && !isOff(features, passcodeSwitches.OTP_TYPE_SMS)
}
