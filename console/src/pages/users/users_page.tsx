import { Badge } from '@mantine/core'
import type { Queries } from '../../api/operations.ts'
import { useAsk } from '../../api/queries.ts'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { UsersIcon } from '../../components/icons.tsx'
import { Id } from '../../components/id.tsx'
import { PageFrame } from '../../components/page_frame.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useTexts } from '../../texts/texts.tsx'

type Organization = Queries['get_organization']['result']['organizationData']
type User = Organization['users'][number]

export function UsersPage() {
  const { users: texts } = useTexts()
  const organization = useAsk('get_organization', {})
  return (
    <PageFrame title={texts.title} about={texts.about}>
      <Answer of={organization}>
        {({ organizationData }) =>
          organizationData.users.length === 0 ? (
            <Empty icon={<UsersIcon size={28} />} title={texts.emptyTitle}>
              {texts.emptyText}
            </Empty>
          ) : (
            <Users organization={organizationData} />
          )
        }
      </Answer>
    </PageFrame>
  )
}

function Users({ organization: { users, rootQuorum } }: { readonly organization: Organization }) {
  const { users: texts, common } = useTexts()
  const columns: readonly Column<User>[] = [
    {
      key: 'name',
      label: common.name,
      show: ({ userName, userId }) => (
        <span className="name-with-badge">
          <UserText text={userName} />
          {rootQuorum.userIds.includes(userId) && (
            <Badge size="sm" variant="default" tt="none">
              {texts.rootMember}
            </Badge>
          )}
        </span>
      ),
    },
    {
      key: 'email',
      label: texts.email,
      show: ({ userEmail }) => (userEmail === undefined ? '–' : <UserText text={userEmail} />),
    },
    {
      key: 'credentials',
      label: texts.credentials,
      show: ({ authenticators, apiKeys }) =>
        `${texts.passkeys(authenticators.length)}, ${texts.apiKeys(apiKeys.length)}`,
    },
    { key: 'created', label: common.created, show: ({ createdAt }) => <Time of={createdAt} /> },
    { key: 'id', label: common.id, show: ({ userId }) => <Id id={userId} /> },
  ]
  return <DataTable label={texts.title} columns={columns} rows={users} keyOf={({ userId }) => userId} />
}
