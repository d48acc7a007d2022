import { type Activity, waitingStatuses } from '../../api/activity.ts'
import { pollMs, useAsk } from '../../api/queries.ts'

const waitingMax = '100'

/** The activities that wait, newest first. Every part of the console that shows some of them asks once for all. */
export function useWaiting() {
  return useAsk(
    'list_activities',
    { filterByStatus: waitingStatuses, paginationOptions: { limit: waitingMax } },
    { pollEveryMs: pollMs },
  )
}

export function useWaitingForMe(): number {
  return activitiesOf(useWaiting().data).filter(isForMe).length
}

export function isForMe({ canApprove, canReject }: Activity): boolean {
  return canApprove || canReject
}

/** The server describes activities only roughly in its schemas: this is their form. */
export function activitiesOf(answer: { readonly activities: readonly unknown[] } | undefined): readonly Activity[] {
  return (answer?.activities ?? []) as readonly Activity[]
}
