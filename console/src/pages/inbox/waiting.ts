import { useQuery } from '@tanstack/react-query'
import { type Activity, waitingStatuses } from '../../api/activity.ts'
import { ask } from '../../api/client.ts'
import { keyOf, pollMs } from '../../api/queries.ts'
import type { Session } from '../../session/key_store.ts'
import { useSession } from '../../session/session.tsx'

const pageMax = 100
/** A thousand activities wait at most in an organization, and a page has at least four of them, however large they are. */
const pagesMax = 251

/** The activities that wait, newest first. Every part of the console that shows some of them asks once for all. */
export function useWaiting() {
  const session = useSession()
  return useQuery({
    queryKey: keyOf(session, 'list_activities', 'waiting'),
    queryFn: () => everyWaiting(session),
    refetchInterval: pollMs,
  })
}

async function everyWaiting(session: Session): Promise<readonly Activity[]> {
  const all: Activity[] = []
  for (let page = 0; page < pagesMax; page += 1) {
    const after = all.at(-1)?.id
    const answer = await ask(session, 'list_activities', {
      filterByStatus: waitingStatuses,
      paginationOptions: { limit: String(pageMax), ...(after === undefined ? {} : { after }) },
    })
    const found = activitiesOf(answer)
    // A page with large requests ends early, so only an empty one is the last.
    if (found.length === 0) break
    all.push(...found)
  }
  return all
}

export function useWaitingForMe(): number {
  return (useWaiting().data ?? []).filter(isForMe).length
}

export function isForMe({ canApprove, canReject }: Activity): boolean {
  return canApprove || canReject
}

/** The server describes activities only roughly in its schemas: this is their form. */
export function activitiesOf(answer: { readonly activities: readonly unknown[] } | undefined): readonly Activity[] {
  return (answer?.activities ?? []) as readonly Activity[]
}
