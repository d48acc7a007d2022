import { Link } from '@tanstack/react-router'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { typeName } from '../../components/meaning/words.ts'
import { Section } from '../../components/page_frame.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { useWaiting } from '../inbox/waiting.ts'
import { type Lapsing, lapsingOf } from './lapsing_approvals.ts'

/** Shows the activities that wait with an approval that soon counts no more. Shows nothing if there are none. */
export function AboutToLapse() {
  const { overview, meaning, activities: texts } = useTexts()
  const rows = lapsingOf(useWaiting().data ?? [], Date.now())
  const columns: readonly Column<Lapsing>[] = [
    {
      key: 'type',
      label: texts.type,
      show: ({ activity: { id, type } }) => (
        <Link to="/activities/$activityId" params={{ activityId: id }} className="link">
          {typeName(type, meaning.explanation.labels)}
        </Link>
      ),
    },
    {
      key: 'askedBy',
      label: texts.askedBy,
      show: ({ activity: { votes } }) => <UserText text={votes[0]?.user.userName ?? '–'} />,
    },
    { key: 'lapses', label: overview.lapsesAt, show: ({ lapsesAtMs }) => <Time of={lapsesAtMs} /> },
  ]
  if (rows.length === 0) return null
  return (
    <Section title={overview.aboutToLapse}>
      <DataTable label={overview.aboutToLapse} columns={columns} rows={rows} keyOf={({ activity }) => activity.id} />
    </Section>
  )
}
