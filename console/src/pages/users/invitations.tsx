import { type Column, DataTable } from '../../components/data_table.tsx'
import { DeleteByName } from '../../components/delete_by_name.tsx'
import { MailIcon } from '../../components/icons.tsx'
import { Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { Tag } from '../tags/tag_changes.ts'
import { TagNames } from '../tags/tag_chips.tsx'
import type { Organization } from './organization.ts'

type Invitation = Organization['invitations'][number]

type InvitationsProps = { readonly invitations: readonly Invitation[]; readonly tags: readonly Tag[] }

export function Invitations({ invitations, tags }: InvitationsProps) {
  const { invitations: texts, users, common } = useTexts()
  const columns: readonly Column<Invitation>[] = [
    { key: 'name', label: common.name, show: ({ receiverUserName }) => <UserText text={receiverUserName} /> },
    { key: 'email', label: users.email, show: ({ receiverEmail }) => <UserText text={receiverEmail} /> },
    {
      key: 'tags',
      label: users.tags,
      show: ({ receiverUserTags }) => <TagNames tagIds={receiverUserTags} tags={tags} />,
    },
    { key: 'status', label: texts.status, show: ({ status }) => texts.statuses[status] },
    { key: 'sent', label: texts.sent, show: ({ createdAt }) => <Time of={createdAt} /> },
    {
      key: 'actions',
      label: common.actions,
      align: 'end',
      show: ({ invitationId, receiverUserName, status }) =>
        status !== 'INVITATION_STATUS_CREATED' ? null : (
          <DeleteByName
            operation="delete_invitation"
            parameters={{ invitationId }}
            name={receiverUserName}
            id={invitationId}
            what={texts.withdraw}
            isQuiet
          />
        ),
    },
  ]
  if (invitations.length === 0) {
    return (
      <Empty icon={<MailIcon size={28} />} title={texts.emptyTitle}>
        {texts.about}
      </Empty>
    )
  }
  return (
    <DataTable label={texts.title} columns={columns} rows={invitations} keyOf={({ invitationId }) => invitationId} />
  )
}
