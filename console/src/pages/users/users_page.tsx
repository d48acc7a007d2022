import { Badge, Tabs } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { DialogButton } from '../../components/form_dialog.tsx'
import { MailIcon, UsersIcon } from '../../components/icons.tsx'
import { Id } from '../../components/id.tsx'
import { PageFrame } from '../../components/page_frame.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'
import { TagNames } from '../tags/tag_chips.tsx'
import { TagList } from '../tags/tag_list.tsx'
import { Invitations } from './invitations.tsx'
import { Invite } from './invite.tsx'
import { credentialKind, type Organization, type User } from './organization.ts'

export function UsersPage() {
  const { users: texts, invitations } = useTexts()
  const organization = useAsk('get_organization', {})
  const invite = (
    <DialogButton label={invitations.invite} icon={<MailIcon size={16} />} isMain>
      {(close) => <Invite tags={userTagsOf(organization.data?.organizationData)} onClose={close} />}
    </DialogButton>
  )
  return (
    <PageFrame title={texts.title} about={texts.about} actions={invite}>
      <Answer of={organization}>{({ organizationData }) => <Content organization={organizationData} />}</Answer>
    </PageFrame>
  )
}

function Content({ organization }: { readonly organization: Organization }) {
  const { users: texts, invitations } = useTexts()
  const tags = userTagsOf(organization)
  const open = organization.invitations.filter(({ status }) => status === 'INVITATION_STATUS_CREATED')
  const holders = organization.users.map(({ userId, userName, userTags }) => ({
    ...{ id: userId, name: userName, tagIds: userTags },
  }))
  return (
    <Tabs defaultValue="users" keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="users">{texts.title}</Tabs.Tab>
        <Tabs.Tab value="invitations">{invitations.titleWithOpen(open.length)}</Tabs.Tab>
        <Tabs.Tab value="tags">{texts.tags}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="users">
        {organization.users.length === 0 ? (
          <Empty icon={<UsersIcon size={28} />} title={texts.emptyTitle}>
            {texts.emptyText}
          </Empty>
        ) : (
          <Users organization={organization} />
        )}
      </Tabs.Panel>
      <Tabs.Panel value="invitations">
        <Invitations invitations={organization.invitations} tags={tags} />
      </Tabs.Panel>
      <Tabs.Panel value="tags">
        <TagList kind="user" tags={tags} holders={holders} />
      </Tabs.Panel>
    </Tabs>
  )
}

function userTagsOf(organization: Organization | undefined) {
  return organization?.tags.filter(({ tagType }) => tagType === 'TAG_TYPE_USER') ?? []
}

function Users({ organization }: { readonly organization: Organization }) {
  const { users: texts, common } = useTexts()
  const { users, rootQuorum } = organization
  const tags = userTagsOf(organization)
  const columns: readonly Column<User>[] = [
    {
      key: 'name',
      label: common.name,
      show: ({ userName, userId }) => (
        <span className="name-with-badge">
          <Link to="/users/$userId" params={{ userId }} className="link">
            <UserText text={userName} />
          </Link>
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
      show: ({ authenticators, apiKeys }) => {
        const lasting = apiKeys.filter((key) => credentialKind(key) === 'apiKey')
        return `${texts.passkeys(authenticators.length)}, ${texts.apiKeys(lasting.length)}`
      },
    },
    { key: 'tags', label: texts.tags, show: ({ userTags }) => <TagNames tagIds={userTags} tags={tags} /> },
    { key: 'id', label: common.id, show: ({ userId }) => <Id id={userId} /> },
  ]
  return <DataTable label={texts.title} columns={columns} rows={users} keyOf={({ userId }) => userId} />
}
