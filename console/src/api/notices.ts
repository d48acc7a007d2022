import type { ActivityStatus } from './activity.ts'
import { createValue } from './value.ts'

/** Says what became of an activity that was just submitted. The last one is shown, for a while. */
export type Notice = { readonly activityId: string } & (
  | { readonly kind: ActivityStatus }
  /** An approval that counts, and is not the last one needed. */
  | { readonly kind: 'approvedOnly' }
  /** The activity had ended before the vote arrived. */
  | { readonly kind: 'endedBefore'; readonly status: ActivityStatus }
)

const shownMs = 8_000

export function createNotices() {
  const shown = createValue<Notice | undefined>(undefined)
  let timer: ReturnType<typeof setTimeout> | undefined
  const dismiss = () => shown.set(undefined)
  return {
    shown,
    dismiss,
    tell(notice: Notice): void {
      clearTimeout(timer)
      timer = setTimeout(dismiss, shownMs)
      shown.set(notice)
    },
  }
}
