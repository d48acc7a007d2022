import { Link } from '@tanstack/react-router'
import type { Activity } from '../../api/activity.ts'
import { InboxIcon } from '../../components/icons.tsx'
import { PageFrame, Section } from '../../components/page_frame.tsx'
import { RequestMeaning, typeName } from '../../components/request_meaning.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { VoteButtons } from './vote_buttons.tsx'
import { activitiesOf, isForMe, useWaiting } from './waiting.ts'

export function InboxPage() {
  const { inbox } = useTexts()
  const waiting = useWaiting()
  return (
    <PageFrame title={inbox.title} about={inbox.about}>
      <Answer of={waiting}>
        {(answer) => {
          const all = activitiesOf(answer)
          if (all.length === 0) {
            return (
              <Empty icon={<InboxIcon size={28} />} title={inbox.emptyTitle}>
                {inbox.emptyText}
              </Empty>
            )
          }
          return (
            <>
              <Cards title={inbox.forYou} activities={all.filter(isForMe)} />
              <Cards title={inbox.forOthers} activities={all.filter((activity) => !isForMe(activity))} />
            </>
          )
        }}
      </Answer>
    </PageFrame>
  )
}

function Cards({ title, activities }: { readonly title: string; readonly activities: readonly Activity[] }) {
  if (activities.length === 0) return null
  return (
    <Section title={title}>
      <ul className="cards">
        {activities.map((activity) => (
          <li key={activity.id}>
            <Card activity={activity} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Card({ activity }: { readonly activity: Activity }) {
  const { inbox } = useTexts()
  const { id, type, status, votes, createdAt } = activity
  const approvals = votes.filter(({ selection }) => selection === 'VOTE_SELECTION_APPROVED').length
  return (
    <article className="card">
      <header className="card-head">
        <h3>{typeName(type)}</h3>
        <Status status={status} />
      </header>
      <p className="card-about">
        <UserText text={inbox.askedBy(votes[0]?.user.userName ?? '–')} /> · <Time of={createdAt} /> ·{' '}
        {inbox.approvals(approvals)}
      </p>
      <RequestMeaning activity={activity} />
      <footer className="card-foot">
        <Link to="/activities/$activityId" params={{ activityId: id }} className="link">
          {inbox.details}
        </Link>
        {isForMe(activity) && <VoteButtons activity={activity} />}
      </footer>
    </article>
  )
}
