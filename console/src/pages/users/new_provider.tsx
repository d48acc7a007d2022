import { Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useSubmit } from '../../api/queries.ts'
import { DialogButton, FormDialog } from '../../components/form_dialog.tsx'
import { AddIcon } from '../../components/icons.tsx'
import { useTexts } from '../../texts/texts.tsx'

const nameCharactersMax = 256

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
  const add = useSubmit('create_oauth_providers', { onDone: onClose })
  return (
    <FormDialog
      title={texts.addProvider}
      action={texts.addProvider}
      isPending={add.isPending}
      error={add.error}
      onSubmit={() => add.mutate({ userId, oauthProviders: [{ providerName: name.trim(), oidcToken: token.trim() }] })}
      onClose={onClose}
    >
      <TextInput
        label={common.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
        maxLength={nameCharactersMax}
        autoComplete="off"
        data-autofocus
      />
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
    </FormDialog>
  )
}
