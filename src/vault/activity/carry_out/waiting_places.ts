import type { Limits } from '../../../contract/limits.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import type { Ballot } from '../ballot.ts'

/** Each user outside of the root quorum has so many places, however small the organization's limit is. */
const ownMaxMin = 10

/**
 * Requires a place among the activities that wait. A tenth of the places is for the root quorum, and each user outside
 * of it has a tenth at most: what one leaves waiting must not keep the others from acting. Throws LIMIT_REACHED.
 */
export function requirePlace(
  { target, caller }: Pick<Ballot, 'target' | 'caller'>,
  { pendingActivitiesMax }: Limits,
): void {
  const { userId } = caller.user
  const { rootQuorum, listed } = target.head
  const isOfQuorum = rootQuorum.userIds.includes(userId)
  const max = isOfQuorum ? pendingActivitiesMax : Math.floor(pendingActivitiesMax * 0.9)
  const count = listed.get('pending_activity')?.size ?? 0
  if (count >= max) {
    const reason = `an organization has at most ${max} activities that wait for votes; reject some first`
    throw new Failure('LIMIT_REACHED', reason)
  }
  const ownMax = Math.max(ownMaxMin, Math.floor(pendingActivitiesMax * 0.1))
  // The records are read only if there are enough of them to matter.
  if (isOfQuorum || count < ownMax) return
  const waiting = target.allListed('pending_activity').filter(({ submitterId }) => submitterId === userId)
  if (waiting.length < ownMax) return
  const reason = `a user outside of the root quorum has at most ${ownMax} activities that wait for votes; have some decided first`
  throw new Failure('LIMIT_REACHED', reason)
}
