import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Amount } from '../../components/amount.tsx'
import { Id } from '../../components/id.tsx'
import { Facts, PageFrame, Section } from '../../components/page_frame.tsx'
import { Answer } from '../../components/states.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk } from '../../state/queries.ts'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ActivityTable } from '../activities/activity_table.tsx'
import { activitiesOf, isForMe, useWaiting } from '../inbox/waiting.ts'
import { ActivityChart } from './activity_chart.tsx'
import { AboutToLapse } from './lapsing.tsx'

const latestMax = '8'

export function OverviewPage() {
  const { overview } = useTexts()
  return (
    <PageFrame title={overview.title}>
      <div className="overview-grid">
        <Waiting />
        <Organization />
      </div>
      <AboutToLapse />
      <ActivityChart />
      <Latest />
    </PageFrame>
  )
}

function Waiting() {
  const { overview } = useTexts()
  const waiting = useWaiting()
  return (
    <Section title={overview.waiting}>
      <Answer of={waiting}>
        {(answer) => {
          const mine = answer.filter(isForMe)
          return (
            <div className="waiting-card" data-some={mine.length > 0}>
              <span className="waiting-count">
                <Amount value={String(mine.length)} />
              </span>
              {mine.length === 0 ? (
                <span className="waiting-text">{overview.nothingWaits}</span>
              ) : (
                <Button component={Link} to="/inbox">
                  {overview.openInbox}
                </Button>
              )}
            </div>
          )
        }}
      </Answer>
    </Section>
  )
}

function Organization() {
  const { overview, common } = useTexts()
  const session = useSession()
  const organization = useAsk('get_organization', {})
  return (
    <Section title={overview.organization}>
      <Answer of={organization}>
        {({ organizationData: { name, organizationId, rootQuorum, users, wallets, policies } }) => (
          <Facts
            facts={[
              [common.name, <UserText key="name" text={name} />],
              [common.id, <Id key="id" id={organizationId} what={common.id} />],
              [overview.you, <UserText key="you" text={session.userName} />],
              [overview.quorum, overview.quorumOf(rootQuorum.threshold, rootQuorum.userIds.length)],
              [
                overview.counts,
                [
                  overview.users(users.length),
                  overview.wallets(wallets.length),
                  overview.policies(policies.length),
                ].join(', '),
              ],
            ]}
          />
        )}
      </Answer>
    </Section>
  )
}

function Latest() {
  const { overview } = useTexts()
  const latest = useAsk('list_activities', { paginationOptions: { limit: latestMax } })
  return (
    <Section
      title={overview.latest}
      aside={
        <Link to="/activities" className="link">
          {overview.allActivities}
        </Link>
      }
    >
      <Answer of={latest}>
        {(answer) => <ActivityTable label={overview.latest} activities={activitiesOf(answer)} />}
      </Answer>
    </Section>
  )
}
