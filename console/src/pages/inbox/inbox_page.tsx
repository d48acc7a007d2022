import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import type { Activity } from '../../api/activity.ts'
import { Amount } from '../../components/amount.tsx'
import { InboxIcon } from '../../components/icons.tsx'
import { useExplanation } from '../../components/meaning/explanation.ts'
import { FirstOf } from '../../components/meaning/first_of.tsx'
import { AskedBy, MeaningGist } from '../../components/meaning/meaning_gist.tsx'
import { MeaningTitle } from '../../components/meaning/meaning_title.tsx'
import { typeName } from '../../components/meaning/words.ts'
import { PageFrame, Section } from '../../components/page_frame.tsx'
import { RequestMeaning } from '../../components/request_meaning.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { VoteButtons } from './vote_buttons.tsx'
import { isForMe, useWaiting } from './waiting.ts'

/** Each card asks the vault for a meaning, so few are shown at first. */
const cardsShown = 10

export function InboxPage() {
  const { inbox } = useTexts()
  const waiting = useWaiting()
  return (
    <PageFrame title={inbox.title} about={inbox.about}>
      <Answer of={waiting}>
        {(all) => {
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
  const count = (
    <span className="section-count">
      <Amount value={String(activities.length)} />
    </span>
  )
  return (
    <Section title={title} aside={count}>
      <FirstOf items={activities} first={cardsShown}>
        {(shown) => (
          <ul className="cards">
            {shown.map((activity) => (
              <li key={activity.id}>
                <Card activity={activity} />
              </li>
            ))}
          </ul>
        )}
      </FirstOf>
    </Section>
  )
}

function Card({ activity }: { readonly activity: Activity }) {
  const { inbox, meaning } = useTexts()
  const card = useRef<HTMLElement>(null)
  const asked = useExplanation(activity)
  const { explanation } = asked
  const { id, type, status } = activity
  return (
    <article className="card" ref={card} tabIndex={-1}>
      <header className="card-head">
        <h3>
          {explanation === undefined ? (
            typeName(type, meaning.explanation.labels)
          ) : (
            <MeaningTitle title={explanation.title} />
          )}
        </h3>
        <Status status={status} />
      </header>
      {explanation !== undefined && (
        <p className="card-about">
          <AskedBy explanation={explanation} />
        </p>
      )}
      <RequestMeaning activity={activity} asked={asked} isShort />
      {explanation !== undefined && <MeaningGist explanation={explanation} />}
      <footer className="card-foot">
        <Link to="/activities/$activityId" params={{ activityId: id }} className="link">
          {inbox.details}
        </Link>
        {isForMe(activity) && (
          <VoteButtons
            activity={activity}
            isReadable={explanation !== undefined}
            onDecided={() => focusNext(card.current)}
          />
        )}
      </footer>
    </article>
  )
}

/** The card is about to go: who works by keyboard goes on at the next one, or at the one before. */
function focusNext(card: HTMLElement | null): void {
  const item = card?.closest('li')
  const next = item?.nextElementSibling ?? item?.previousElementSibling
  const target = next?.querySelector<HTMLElement>('.card') ?? document.getElementById('content')
  target?.focus()
}
