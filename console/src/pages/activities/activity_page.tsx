import { useParams } from '@tanstack/react-router'
import type { Activity, Vote } from '../../api/activity.ts'
import { CodeBlock } from '../../components/code_block.tsx'
import { Id } from '../../components/id.tsx'
import { JsonText } from '../../components/json_text.tsx'
import { useExplanation } from '../../components/meaning/explanation.ts'
import { MeaningTitle } from '../../components/meaning/meaning_title.tsx'
import { typeName } from '../../components/meaning/words.ts'
import { Facts, PageFrame, Section } from '../../components/page_frame.tsx'
import { RequestMeaning } from '../../components/request_meaning.tsx'
import { Answer } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useActivityPollMs, useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'
import { VoteButtons } from '../inbox/vote_buttons.tsx'
import { isForMe } from '../inbox/waiting.ts'
import { Exported } from '../secrets/exported.tsx'
import { Recorded } from './recorded.tsx'

export function ActivityPage() {
  const { activityId } = useParams({ from: '/activities/$activityId' })
  const { activities } = useTexts()
  const asked = useAsk('get_activity', { activityId }, { pollEveryMs: useActivityPollMs() })
  const back = { to: '/activities', label: activities.detail.back }
  return (
    <Answer of={asked}>
      {/* The schema describes an activity only roughly. The key: nothing that was opened of another one stays. */}
      {({ activity }) => <Explained key={activityId} activity={activity as Activity} back={back} />}
    </Answer>
  )
}

type Back = { readonly to: string; readonly label: string }

function Explained({ activity, back }: { readonly activity: Activity; readonly back: Back }) {
  const { meaning } = useTexts()
  const asked = useExplanation(activity)
  const { explanation } = asked
  return (
    <PageFrame
      title={typeName(activity.type, meaning.explanation.labels)}
      heading={explanation === undefined ? undefined : <MeaningTitle title={explanation.title} />}
      back={back}
    >
      <Detail activity={activity} asked={asked} />
      {isForMe(activity) && (
        <div className="vote-dock">
          <VoteButtons activity={activity} isReadable={explanation !== undefined} />
        </div>
      )}
    </PageFrame>
  )
}

type DetailProps = { readonly activity: Activity; readonly asked: ReturnType<typeof useExplanation> }

function Detail({ activity, asked }: DetailProps) {
  const { activities, common } = useTexts()
  const { detail } = activities
  const { id, status, type, votes, fingerprint, updatedAt, result, failure } = activity
  const [outcome] = Object.values(result)
  return (
    <>
      <Facts
        facts={[
          [activities.status, <Status key="status" status={status} />],
          [detail.updated, <Time key="updated" of={updatedAt} />],
          [activities.type, <code key="type">{type}</code>],
          [common.id, <Id key="id" id={id} />],
          [detail.fingerprint, <Id key="fingerprint" id={fingerprint} what={detail.fingerprint} />],
        ]}
      />
      <Section title={detail.request}>
        <div className="meaning-card">
          <RequestMeaning activity={activity} asked={asked} />
        </div>
      </Section>
      {failure !== undefined && (
        <Section title={detail.failure}>
          <p className="failure-text">
            <UserText text={failure.message} charactersMax={2_000} hasLines />
          </p>
        </Section>
      )}
      <Exported activity={activity} />
      {outcome !== undefined && (
        <Section title={detail.result}>
          <JsonText value={outcome} label={detail.result} />
        </Section>
      )}
      <Section title={detail.votes}>
        <ol className="votes">
          {votes.map((vote, index) => (
            <VoteRow key={vote.id} vote={vote} isSubmission={index === 0} />
          ))}
        </ol>
      </Section>
      <Recorded activity={activity} />
      <Section title={detail.raw}>
        <details className="meaning-around">
          <summary>{detail.showRaw}</summary>
          <JsonText value={activity} label={detail.raw} />
        </details>
      </Section>
    </>
  )
}

function VoteRow({ vote, isSubmission }: { readonly vote: Vote; readonly isSubmission: boolean }) {
  const { detail } = useTexts().activities
  const { user, selection, createdAt, publicKey, scheme, signature, message } = vote
  const isApproval = selection === 'VOTE_SELECTION_APPROVED'
  const what = isSubmission ? detail.submitted : isApproval ? detail.approved : detail.rejected
  return (
    <li className="vote" data-approved={isApproval}>
      <p className="vote-head">
        <strong>
          <UserText text={user.userName} />
        </strong>
        <span>{what}</span>
        <Time of={createdAt} />
      </p>
      <Facts
        facts={[
          [detail.scheme, <code key="scheme">{scheme}</code>],
          [detail.publicKey, <Id key="key" id={publicKey} what={detail.publicKey} />],
          [detail.signature, <Id key="signature" id={signature} what={detail.signature} />],
        ]}
      />
      <details className="meaning-around">
        <summary>{detail.signedBytes}</summary>
        <CodeBlock label={detail.signedBytes}>
          <UserText text={message} charactersMax={20_000} hasLines />
        </CodeBlock>
      </details>
    </li>
  )
}
