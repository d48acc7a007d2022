import { Anchor, CloseButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ActivityStatus } from '../api/activity.ts'
import type { Notice } from '../api/notices.ts'
import { useValue } from '../api/value.ts'
import { useConsole } from '../state/console.ts'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'

export function Notices() {
  const { activities, common } = useTexts()
  const { shown, dismiss } = useConsole().notices
  const notice = useValue(shown)
  return (
    <div role="status" aria-live="polite" className="notices">
      {notice !== undefined && (
        <div className="notice" data-kind={notice.kind}>
          <span>{textOf(notice, { notices: common.notices, statuses: activities.statuses })}</span>
          <Anchor component={Link} to={`/activities/${notice.activityId}`} className="notice-link" onClick={dismiss}>
            {common.notices.show}
          </Anchor>
          <CloseButton size="sm" aria-label={common.notices.dismiss} onClick={dismiss} />
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
