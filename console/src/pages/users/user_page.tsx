import { Badge } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { DeleteByName } from '../../components/delete_by_name.tsx'
import { UsersIcon } from '../../components/icons.tsx'
import { Id } from '../../components/id.tsx'
import { Facts, PageFrame, Section } from '../../components/page_frame.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'
import { TagChips } from '../tags/tag_chips.tsx'
import { UserEmail, UserName, UserPhone } from './change_user.tsx'
import { Credentials } from './credentials.tsx'
import type { Organization, User } from './organization.ts'
import { PasskeyLink } from './passkey_link.tsx'

export function UserPage() {
  const { userId } = useParams({ from: '/users/$userId' })
  const { users: texts } = useTexts()
  const asked = useAsk('get_organization', {})
  return (
    <Answer of={asked}>
      {({ organizationData }) => {
        const user = organizationData.users.find((one) => one.userId === userId)
        return user === undefined ? (
          <Empty icon={<UsersIcon size={28} />} title={texts.notThere} />
        ) : (
          <Shown user={user} organization={organizationData} />
        )
      }}
    </Answer>
  )
}

function Shown({ user, organization }: { readonly user: User; readonly organization: Organization }) {
  const { users: texts, common } = useTexts()
  const { userId, userName, userTags, createdAt } = user
  const isRoot = organization.rootQuorum.userIds.includes(userId)
  return (
    <PageFrame
      title={userName}
      heading={
        <span className="name-with-badge">
          <UserText text={userName} />
          {isRoot && (
            <Badge size="sm" variant="default" tt="none">
              {texts.rootMember}
            </Badge>
          )}
        </span>
      }
      back={{ to: '/users', label: texts.back }}
      actions={<DeleteUser user={user} isRoot={isRoot} />}
    >
      <Facts
        facts={[
          [common.name, <UserName key="name" user={user} />],
          [texts.email, <UserEmail key="email" user={user} />],
          [texts.phone, <UserPhone key="phone" user={user} />],
          [common.created, <Time key="created" of={createdAt} />],
          [common.id, <Id key="id" id={userId} />],
        ]}
      />
      <Section title={texts.tags}>
        <TagChips
          kind="user"
          holderId={userId}
          tagIds={userTags}
          tags={organization.tags.filter(({ tagType }) => tagType === 'TAG_TYPE_USER')}
        />
      </Section>
      <Credentials user={user} aside={<PasskeyLink user={user} label={texts.makeLink} />} />
    </PageFrame>
  )
}

function DeleteUser({ user: { userId, userName }, isRoot }: { readonly user: User; readonly isRoot: boolean }) {
  const { users: texts } = useTexts()
  const navigate = useNavigate()
  return (
    <DeleteByName
      operation="delete_users"
      parameters={{ userIds: [userId] }}
      name={userName}
      id={userId}
      what={texts.delete}
      onDone={() => void navigate({ to: '/users' })}
    >
      <p>{texts.deleteWarning}</p>
      {isRoot && <p className="warning-text">{texts.deleteRootWarning}</p>}
    </DeleteByName>
  )
}
