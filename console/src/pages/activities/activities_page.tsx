import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { activityStatuses } from '../../api/activity.ts'
import { activityTypes } from '../../api/operations.ts'
import { typeName } from '../../components/meaning/words.ts'
import { PageFrame } from '../../components/page_frame.tsx'
import { Pager } from '../../components/pager.tsx'
import { Answer } from '../../components/states.tsx'
import { useActivityPollMs, useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'
import { activitiesOf } from '../inbox/waiting.ts'
import { ActivityTable } from './activity_table.tsx'
import { ExportLog } from './export_log.tsx'

const rowsMax = 25
const any = ''

export function ActivitiesPage() {
  const { activities: texts, meaning } = useTexts()
  const [status, setStatus] = useState<string>(any)
  const [type, setType] = useState<string>(any)
  /** The last activity of each page before this one. */
  const [cursors, setCursors] = useState<readonly string[]>([])
  const after = cursors.at(-1)
  const chosenStatus = activityStatuses.find((one) => one === status)
  const filters = {
    ...(chosenStatus === undefined ? {} : { filterByStatus: [chosenStatus] }),
    ...(type === any ? {} : { filterByType: [type] }),
  }
  const pollEveryMs = useActivityPollMs()
  const page = useAsk(
    'list_activities',
    { ...filters, paginationOptions: { limit: String(rowsMax), ...(after === undefined ? {} : { after }) } },
    after === undefined ? { pollEveryMs } : {},
  )
  const shown = activitiesOf(page.data)
  // A page with large requests ends early, so what follows a short one is asked for.
  const last = shown.length < rowsMax ? shown.at(-1)?.id : undefined
  const next = useAsk(
    'list_activities',
    { ...filters, paginationOptions: { limit: '1', ...(last === undefined ? {} : { after: last }) } },
    { isEnabled: last !== undefined },
  )
  return (
    <PageFrame title={texts.title} about={texts.about} actions={<ExportLog />}>
      <div className="filters">
        <NativeSelect
          label={texts.filterStatus}
          value={status}
          onChange={(event) => {
            setStatus(event.currentTarget.value)
            setCursors([])
          }}
          data={[
            { value: any, label: texts.allStatuses },
            ...activityStatuses.map((value) => ({ value, label: texts.statuses[value] })),
          ]}
        />
        <NativeSelect
          label={texts.filterType}
          value={type}
          onChange={(event) => {
            setType(event.currentTarget.value)
            setCursors([])
          }}
          data={[{ value: any, label: texts.allTypes }, ...typeOptions(meaning.explanation.labels)]}
        />
      </div>
      <Answer of={page}>
        {() => (
          <>
            <ActivityTable label={texts.title} activities={shown} />
            <Pager
              isFirst={after === undefined}
              isLast={shown.length < rowsMax && activitiesOf(next.data).length === 0}
              onNewer={() => setCursors(cursors.slice(0, -1))}
              onOlder={() => setCursors([...cursors, shown.at(-1)?.id ?? ''])}
            />
          </>
        )}
      </Answer>
    </PageFrame>
  )
}

function typeOptions(labels: Readonly<Record<string, string>>) {
  return Object.values(activityTypes)
    .map((value) => ({ value, label: typeName(value, labels) }))
    .sort((a, b) => a.label.localeCompare(b.label))
}
