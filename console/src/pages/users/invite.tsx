import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useSubmit } from '../../api/queries.ts'
import { CheckList } from '../../components/check_list.tsx'
import { FormDialog } from '../../components/form_dialog.tsx'
import { useSession } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { Tag } from '../tags/tag_changes.ts'

const nameCharactersMax = 256

/** Mails a person a link, with which that person registers a passkey and becomes a user. */
export function Invite({ tags, onClose }: { readonly tags: readonly Tag[]; readonly onClose: () => void }) {
  const { invitations: texts, users } = useTexts()
  const { userId } = useSession()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const invite = useSubmit('create_invitations', { onDone: onClose })
  return (
    <FormDialog
      title={texts.invite}
      action={texts.send}
      isPending={invite.isPending}
      error={invite.error}
      onSubmit={() =>
        invite.mutate({
          invitations: [
            {
              receiverUserName: name.trim(),
              receiverUserEmail: email.trim(),
              receiverUserTags: chosen,
              accessType: 'ACCESS_TYPE_WEB',
              senderUserId: userId,
            },
          ],
        })
      }
      onClose={onClose}
    >
      <p className="hint">{texts.about}</p>
      <TextInput
        label={texts.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
        maxLength={nameCharactersMax}
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        label={users.email}
        type="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        required
        autoComplete="off"
      />
      {tags.length > 0 && (
        <CheckList
          label={users.tags}
          choices={tags.map(({ tagId, tagName }) => ({ id: tagId, name: tagName }))}
          chosen={chosen}
          onChange={setChosen}
        />
      )}
    </FormDialog>
  )
}
