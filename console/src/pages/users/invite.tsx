import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { CheckList } from '../../components/check_list.tsx'
import { NameInput } from '../../components/name_input.tsx'
import { SubmitDialog } from '../../components/submit_dialog.tsx'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { Tag } from '../tags/tag_changes.ts'

/** Mails a person a link, with which that person registers a passkey and becomes a user. */
export function Invite({ tags, onClose }: { readonly tags: readonly Tag[]; readonly onClose: () => void }) {
  const { invitations: texts, users } = useTexts()
  const { userId } = useSession()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  return (
    <SubmitDialog
      operation="create_invitations"
      title={texts.invite}
      action={texts.send}
      parameters={{
        invitations: [
          {
            receiverUserName: name.trim(),
            receiverUserEmail: email.trim(),
            receiverUserTags: chosen,
            accessType: 'ACCESS_TYPE_WEB',
            senderUserId: userId,
          },
        ],
      }}
      onClose={onClose}
    >
      <p className="hint">{texts.about}</p>
      <NameInput label={texts.name} value={name} onChange={setName} />
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
    </SubmitDialog>
  )
}
