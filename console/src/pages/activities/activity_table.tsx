import { Link } from '@tanstack/react-router'
import type { Activity } from '../../api/activity.ts'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { Id } from '../../components/id.tsx'
import { typeName } from '../../components/meaning/words.ts'
import { Empty } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useTexts } from '../../texts/texts.tsx'

export function ActivityTable({ label, activities }: ActivityTableProps) {
  const { activities: texts, common, meaning } = useTexts()
  const columns: readonly Column<Activity>[] = [
    {
      key: 'type',
      label: texts.type,
      show: ({ id, type }) => (
        <Link to="/activities/$activityId" params={{ activityId: id }} className="link">
          {typeName(type, meaning.explanation.labels)}
        </Link>
      ),
    },
    { key: 'status', label: texts.status, show: ({ status }) => <Status status={status} /> },
    {
      key: 'askedBy',
      label: texts.askedBy,
      // Nobody votes for what the auth proxy asks.
      show: ({ votes: [submission] }) =>
        submission === undefined ? texts.authProxy : <UserText text={submission.user.userName} />,
    },
    { key: 'time', label: texts.time, show: ({ createdAt }) => <Time of={createdAt} /> },
    { key: 'id', label: common.id, show: ({ id }) => <Id id={id} /> },
  ]
  if (activities.length === 0) return <Empty title={texts.emptyTitle}>{texts.emptyText}</Empty>
  return <DataTable label={label} columns={columns} rows={activities} keyOf={({ id }) => id} />
}

type ActivityTableProps = { readonly label: string; readonly activities: readonly Activity[] }
