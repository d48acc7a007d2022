import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { DialogButton } from '../../components/form_dialog.tsx'
import { AddIcon } from '../../components/icons.tsx'
import { NameInput } from '../../components/name_input.tsx'
import { SubmitDialog } from '../../components/submit_dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** Adds an identity at an OIDC issuer to a user. The token says which identity it is, and proves it. */
export function NewProvider({ userId }: { readonly userId: string }) {
  const { users: texts } = useTexts()
  return (
    <DialogButton label={texts.addProvider} icon={<AddIcon size={14} />}>
      {(close) => <Dialog userId={userId} onClose={close} />}
    </DialogButton>
  )
}

function Dialog({ userId, onClose }: { readonly userId: string; readonly onClose: () => void }) {
  const { users: texts, common } = useTexts()
  const [name, setName] = useState('')
  const [token, setToken] = useState('')
  return (
    <SubmitDialog
      operation="create_oauth_providers"
      title={texts.addProvider}
      action={texts.addProvider}
      parameters={{ userId, oauthProviders: [{ providerName: name.trim(), oidcToken: token.trim() }] }}
      onClose={onClose}
    >
      <NameInput label={common.name} value={name} onChange={setName} />
      <Textarea
        label={texts.idToken}
        description={texts.idTokenHint}
        value={token}
        onChange={(event) => setToken(event.currentTarget.value)}
        required
        autosize
        minRows={3}
        maxRows={8}
        spellCheck={false}
        autoComplete="off"
      />
    </SubmitDialog>
  )
}
