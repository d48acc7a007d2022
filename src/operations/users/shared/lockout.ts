import { Failure } from '../../../protocol/wire/failures.ts'
import type { Quorum } from '../../define.ts'
import type { User } from '../../records/records.ts'

/**
 * Whether the user can approve, and not only until a session ends: by a passkey, an API key that does not expire, or the
 * session that an OAuth provider opens. Contacts do not count: who logs in by one needs somebody else to send the code.
 */
export function canApprove({ authenticators, apiKeys, oauthProviders }: User): boolean {
  return (
    authenticators.length > 0 ||
    oauthProviders.length > 0 ||
    apiKeys.some(({ expirationSeconds }) => expirationSeconds === undefined)
  )
}

/**
 * Refuses to take credentials from a user when this leaves the root quorum without enough members who can approve:
 * nobody could ever mend that. Where there are too few already, as where members log in by mail, it gets no worse.
 */
export function requireApprovers(
  left: User,
  {
    rootQuorum: { threshold, userIds },
    users,
    fieldPath,
  }: { readonly rootQuorum: Quorum; readonly users: readonly User[]; readonly fieldPath: string },
): void {
  const members = users.filter(({ userId }) => userIds.includes(userId))
  const membersLeft = members.map((member) => (member.userId === left.userId ? left : member))
  const isEnough = (some: readonly User[]) => some.filter(canApprove).length >= threshold
  if (isEnough(membersLeft) || !isEnough(members)) return
  throw new Failure('FIELD_INVALID', {
    fieldPath,
    reason: 'this would leave the root quorum without enough members who have a credential; add one first',
  })
}

/** Refuses to leave a member of the root quorum without any way to log in. */
export function requireWayIn(
  left: User,
  { rootQuorum, fieldPath }: { readonly rootQuorum: Quorum; readonly fieldPath: string },
): void {
  if (!rootQuorum.userIds.includes(left.userId) || hasWayIn(left)) return
  throw new Failure('FIELD_INVALID', {
    fieldPath,
    reason: 'this would leave a member of the root quorum without a way to log in; add another one first',
  })
}

/** One that lasts: a session's key does not, and with it the last way in would go. */
function hasWayIn(user: User): boolean {
  return canApprove(user) || user.userEmail !== undefined || user.userPhoneNumber !== undefined
}
