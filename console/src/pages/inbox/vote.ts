import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Activity, isWaiting } from '../../api/activity.ts'
import { ask, submit } from '../../api/client.ts'
import { refreshChanged } from '../../api/queries.ts'
import { notify } from '../../components/notices.tsx'
import type { Session } from '../../session/key_store.ts'
import { useSession } from '../../session/session.tsx'

export type Choice = 'approve' | 'reject'

const operations = { approve: 'approve_activity', reject: 'reject_activity' } as const
const selections = { approve: 'VOTE_SELECTION_APPROVED', reject: 'VOTE_SELECTION_REJECTED' } as const

/**
 * Casts a vote, and says what became of it. An activity may have ended meanwhile by the vote of another, and a vote may
 * have arrived although its answer did not: in both cases the activity itself is asked.
 */
export function useVote(activity: Activity, { onDecided }: { readonly onDecided?: (() => void) | undefined }) {
  const session = useSession()
  const client = useQueryClient()
  return useMutation<Activity, Error, Choice>({
    mutationFn: (choice) => castVote(session, activity, choice),
    onSuccess: (after, choice) => {
      onDecided?.()
      const { id: activityId, status } = after
      const isCounted = hasVoteOf(session, after, choice)
      if (!isCounted && !isWaiting(after)) notify({ kind: 'endedBefore', status, activityId })
      else notify({ kind: choice === 'approve' && isWaiting(after) ? 'approvedOnly' : status, activityId })
    },
    // The list is asked for again after a failure too.
    onSettled: () => refreshChanged(client),
  })
}

async function castVote(session: Session, { id, fingerprint }: Activity, choice: Choice): Promise<Activity> {
  try {
    return (await submit(session, operations[choice], { fingerprint })).activity
  } catch (error) {
    const now = await ask(session, 'get_activity', { activityId: id }).catch(() => undefined)
    const activity = now?.activity as Activity | undefined
    // The error says why; it stands if the activity is as it was.
    if (activity === undefined) throw error
    if (isWaiting(activity) && !hasVoteOf(session, activity, choice)) throw error
    return activity
  }
}

/** The first vote is the submission. A later one of the submitter is a step of an MFA policy. */
function hasVoteOf({ userId }: Session, { votes }: Activity, choice: Choice): boolean {
  return votes.some((vote) => vote.userId === userId && vote.selection === selections[choice])
}
