import type { Activity, Vote } from '../../contract/records/activity.ts'
import { isSameKey } from '../caller/credential_stamps.ts'

/**
 * Whether the vote has the same bytes as an earlier one, as when a client lost the answer. It takes no further step.
 */
export function isRepeated({ votes }: Activity, given: Vote): boolean {
  const { userId, message } = given
  return votes.some((vote) => vote.userId === userId && vote.message === message && isSameKey(vote, given))
}
