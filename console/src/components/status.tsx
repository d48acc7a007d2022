import type { ActivityStatus } from '../api/activity.ts'
import { useTexts } from '../texts/texts.tsx'

/** The status of an activity, as a word with a mark: the colour says nothing that the word does not. */
export function Status({ status }: { readonly status: ActivityStatus }) {
  const { statuses } = useTexts().activities
  return (
    <span className="status" data-status={status.replace('ACTIVITY_STATUS_', '')}>
      <span className="status-mark" aria-hidden="true" />
      {statuses[status]}
    </span>
  )
}
