import { Link } from '@tanstack/react-router'
import type { Activity } from '../../api/activity.ts'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { Section } from '../../components/page_frame.tsx'
import { typeName } from '../../components/request_meaning.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { activitiesOf, useWaiting } from '../inbox/waiting.ts'

/** An approval counts for a day (`src/vault/rules/voters.ts`). */
const approvalMs = 24 * 3_600_000
/** How long before its end an approval is about to lapse. */
const soonMs = 6 * 3_600_000
const rowsMax = 5

type Lapsing = { readonly activity: Activity; readonly lapsesAtMs: number }

/** What waits with an approval that soon counts no more. Nothing is shown where there is none. */
export function AboutToLapse() {
  const { overview, activities: texts } = useTexts()
  const rows = lapsingOf(activitiesOf(useWaiting().data), Date.now())
  const columns: readonly Column<Lapsing>[] = [
    {
      key: 'type',
      label: texts.type,
      show: ({ activity: { id, type } }) => (
        <Link to="/activities/$activityId" params={{ activityId: id }} className="link">
          {typeName(type)}
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

/** The activities with an approval that lapses within hours, the soonest first. */
export function lapsingOf(activities: readonly Activity[], nowMs: number): readonly Lapsing[] {
  return activities
    .flatMap((activity) => {
      const ends = activity.votes
        .filter(({ selection }) => selection === 'VOTE_SELECTION_APPROVED')
        .map(({ createdAt }) => Number(createdAt.seconds) * 1_000 + approvalMs)
        .filter((endMs) => endMs > nowMs && endMs - nowMs <= soonMs)
      return ends.length === 0 ? [] : [{ activity, lapsesAtMs: Math.min(...ends) }]
    })
    .sort((a, b) => a.lapsesAtMs - b.lapsesAtMs)
    .slice(0, rowsMax)
}
