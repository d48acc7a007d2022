import { Anchor, CloseButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import type { ActivityStatus } from '../api/activity.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'

/** Says what became of an activity that was just submitted. The last one is shown, for a while. */
type Notice = { readonly activityId: string } & (
  | { readonly kind: ActivityStatus }
  /** An approval that counts, and is not the last one needed. */
  | { readonly kind: 'approvedOnly' }
  /** The activity had ended before the vote arrived. */
  | { readonly kind: 'endedBefore'; readonly status: ActivityStatus }
)

const shownMs = 8_000

let current: Notice | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

export function notify(notice: Notice): void {
  clearTimeout(timer)
  timer = setTimeout(() => show(undefined), shownMs)
  show(notice)
}

export function Notices() {
  const { activities, common } = useTexts()
  const notice = useSyncExternalStore(subscribe, () => current)
  return (
    <div role="status" aria-live="polite" className="notices">
      {notice !== undefined && (
        <div className="notice" data-kind={notice.kind}>
          <span>{textOf(notice, { notices: common.notices, statuses: activities.statuses })}</span>
          <Anchor
            component={Link}
            to={`/activities/${notice.activityId}`}
            className="notice-link"
            onClick={() => show(undefined)}
          >
            {common.notices.show}
          </Anchor>
          <CloseButton size="sm" aria-label={common.notices.dismiss} onClick={() => show(undefined)} />
        </div>
      )}
    </div>
  )
}

type Told = { readonly notices: Texts['common']['notices']; readonly statuses: Texts['activities']['statuses'] }

function textOf(notice: Notice, { notices: texts, statuses }: Told): string {
  if (notice.kind === 'approvedOnly') return texts.approvedOnly
  if (notice.kind === 'endedBefore') return texts.endedBefore(statuses[notice.status])
  const byStatus: { readonly [S in ActivityStatus]: string } = {
    ACTIVITY_STATUS_COMPLETED: texts.done,
    ACTIVITY_STATUS_CONSENSUS_NEEDED: texts.waits,
    ACTIVITY_STATUS_AUTHENTICATORS_NEEDED: texts.waitsForProof,
    ACTIVITY_STATUS_REJECTED: texts.rejected,
    ACTIVITY_STATUS_FAILED: texts.failed,
  }
  return byStatus[notice.kind]
}

function show(notice: Notice | undefined): void {
  current = notice
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
