import { Badge } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { DialogButton } from '../../components/form_dialog.tsx'
import { QuorumIcon } from '../../components/icons.tsx'
import { Id } from '../../components/id.tsx'
import { Facts, PageFrame, Section } from '../../components/page_frame.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk } from '../../state/queries.ts'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { hasLastingCredential, type Organization, type User } from '../users/organization.ts'
import { ChangeQuorum } from './change_quorum.tsx'

export function QuorumPage() {
  const { quorum: texts } = useTexts()
  const asked = useAsk('get_organization', {})
  const organization = asked.data?.organizationData
  return (
    <PageFrame
      title={texts.title}
      about={texts.about}
      actions={
        organization !== undefined && (
          <DialogButton label={texts.change} icon={<QuorumIcon size={16} />} isMain>
            {(close) => <ChangeQuorum organization={organization} onClose={close} />}
          </DialogButton>
        )
      }
    >
      <Answer of={asked}>{({ organizationData }) => <Quorum organization={organizationData} />}</Answer>
    </PageFrame>
  )
}

function Quorum({ organization: { rootQuorum, users } }: { readonly organization: Organization }) {
  const { quorum: texts, users: userTexts, common } = useTexts()
  const { userId: myId } = useSession()
  const members = users.filter(({ userId }) => rootQuorum.userIds.includes(userId))
  const columns: readonly Column<User>[] = [
    {
      key: 'name',
      label: common.name,
      show: ({ userId, userName }) => (
        <span className="name-with-badge">
          <Link to="/users/$userId" params={{ userId }} className="link">
            <UserText text={userName} />
          </Link>
          {userId === myId && (
            <Badge size="sm" variant="default" tt="none">
              {texts.you}
            </Badge>
          )}
        </span>
      ),
    },
    {
      key: 'credentials',
      label: userTexts.credentials,
      show: (user) => (hasLastingCredential(user) ? userTexts.passkeys(user.authenticators.length) : texts.noWayIn),
    },
    { key: 'id', label: common.id, show: ({ userId }) => <Id id={userId} /> },
  ]
  return (
    <>
      <Facts
        facts={[
          [texts.threshold, texts.thresholdOf(rootQuorum.threshold, rootQuorum.userIds.length)],
          [texts.mayLose, texts.mayLoseCount(rootQuorum.userIds.length - rootQuorum.threshold)],
        ]}
      />
      <Section title={texts.members}>
        {members.length === 0 ? (
          <Empty title={userTexts.emptyTitle}>{userTexts.emptyText}</Empty>
        ) : (
          <DataTable label={texts.members} columns={columns} rows={members} keyOf={({ userId }) => userId} />
        )}
      </Section>
    </>
  )
}
