import { hasLastingCredential, type User } from '../users/organization.ts'

type Quorum = { readonly userIds: readonly string[]; readonly threshold: number }

export type QuorumFault = {
  /**
   * `youLeave`: the user who asks is a member and would be none. `cannotApprove`: members who have no lasting way to
   * approve. `noneMayBeLost`: all of several members must approve, so one who loses access locks the organization.
   */
  readonly kind: 'youLeave' | 'cannotApprove' | 'noneMayBeLost'
  readonly userNames: readonly string[]
}

/** The effects of a change of the root quorum that its author may not intend. */
export function quorumFaults({
  users,
  former,
  myId,
  next: { userIds, threshold },
}: {
  readonly users: readonly User[]
  /** The ids of the members before the change. */
  readonly former: readonly string[]
  /** The id of the user who asks. */
  readonly myId: string
  readonly next: Quorum
}): readonly QuorumFault[] {
  const members = users.filter(({ userId }) => userIds.includes(userId))
  const unable = members.filter((user) => !hasLastingCredential(user)).map(({ userName }) => userName)
  const doesLeave = former.includes(myId) && !userIds.includes(myId)
  return [
    ...(doesLeave ? [{ kind: 'youLeave', userNames: [] } as const] : []),
    ...(unable.length > 0 ? [{ kind: 'cannotApprove', userNames: unable } as const] : []),
    ...(userIds.length > 1 && threshold === userIds.length ? [{ kind: 'noneMayBeLost', userNames: [] } as const] : []),
  ]
}
