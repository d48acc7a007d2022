import { useMutation } from '@tanstack/react-query'
import { type Activity, isWaiting } from '../../api/activity.ts'
import type { Client } from '../../api/client.ts'
import type { Session } from '../../stamping/key_store.ts'
import { useConsole } from '../../state/console.ts'
import { refreshChanged } from '../../state/queries.ts'
import { useSession } from '../../state/session.tsx'

export type Choice = 'approve' | 'reject'

const operations = { approve: 'approve_activity', reject: 'reject_activity' } as const
const selections = { approve: 'VOTE_SELECTION_APPROVED', reject: 'VOTE_SELECTION_REJECTED' } as const

/**
 * Casts a vote, and says what became of it. An activity may have ended meanwhile by the vote of another, and a vote may
 * have arrived although its answer did not: in both cases the activity itself is asked.
 */
export function useVote(activity: Activity, { onDecided }: { readonly onDecided?: (() => void) | undefined }) {
  const { client, notices, queryClient } = useConsole()
  const session = useSession()
  return useMutation<Activity, Error, Choice>({
    mutationFn: (choice) => castVote({ client, session }, activity, choice),
    onSuccess: (after, choice) => {
      onDecided?.()
      const { id: activityId, status } = after
      if (!isCounted(session, choice, { before: activity, after }) && !isWaiting(after))
        notices.tell({ kind: 'endedBefore', status, activityId })
      else notices.tell({ kind: choice === 'approve' && isWaiting(after) ? 'approvedOnly' : status, activityId })
    },
    // The list is asked for again after a failure too.
    onSettled: () => refreshChanged(queryClient),
  })
}

type Voter = { readonly client: Client; readonly session: Session }

async function castVote({ client, session }: Voter, activity: Activity, choice: Choice): Promise<Activity> {
  const { id, fingerprint } = activity
  try {
    return (await client.submit(session, operations[choice], { fingerprint })).activity
  } catch (error) {
    const now = await client.ask(session, 'get_activity', { activityId: id }).catch(() => undefined)
    const after = now?.activity as Activity | undefined
    // The error says why; it stands if the activity is as it was.
    if (after === undefined) throw error
    if (isWaiting(after) && !isCounted(session, choice, { before: activity, after })) throw error
    return after
  }
}

/** Whether the user has a vote that was not there before. Earlier ones are the submission and those by other credentials. */
function isCounted(
  { userId }: Session,
  choice: Choice,
  { before, after }: { readonly before: Activity; readonly after: Activity },
): boolean {
  const earlier = new Set(before.votes.map(({ id }) => id))
  return after.votes.some(
    (vote) => vote.userId === userId && vote.selection === selections[choice] && !earlier.has(vote.id),
  )
}
