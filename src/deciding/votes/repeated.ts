import type { Activity, Vote } from '../../contract/records/activity.ts'
import { isSameKey, type StampKey } from '../caller/credential_stamps.ts'

/** Bytes, who sent them, and the key that stamped them. */
type StampedBytes = Pick<Vote, 'userId' | 'message'> & StampKey

/** Whether an earlier vote has the same bytes, as when a client lost the answer. They take no further step. */
export function isRepeated({ votes }: Activity, given: StampedBytes): boolean {
  const { userId, message } = given
  return votes.some((vote) => vote.userId === userId && vote.message === message && isSameKey(vote, given))
}
