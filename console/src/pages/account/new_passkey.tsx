import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Queries } from '../../api/operations.ts'
import { DialogButton, FormDialog } from '../../components/form_dialog.tsx'
import { AddIcon } from '../../components/icons.tsx'
import { NameInput } from '../../components/name_input.tsx'
import { registerPasskey } from '../../stamping/passkeys.ts'
import { useConsole } from '../../state/console.ts'
import { useSubmit } from '../../state/queries.ts'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'

type User = Queries['get_user']['result']['user']

/** Registers a passkey in this browser, and adds it to the user who is logged in. */
export function NewPasskey({ user }: { readonly user: User }) {
  const { account } = useTexts()
  return (
    <DialogButton label={account.addPasskey} icon={<AddIcon size={14} />}>
      {(close) => <Dialog user={user} onClose={close} />}
    </DialogButton>
  )
}

function Dialog({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const { account } = useTexts()
  const { sessions } = useConsole()
  const { organizationId, userId } = useSession()
  const owner = { organizationId, userId }
  const [name, setName] = useState('')
  const add = useSubmit('create_authenticators')
  const register = useMutation({
    mutationFn: async () => {
      const authenticator = await registerPasskey({
        authenticatorName: name.trim(),
        userName: user.userName,
        owner,
        knownCredentialIds: user.authenticators.map(({ credentialId }) => credentialId),
      })
      await add.mutateAsync({ userId, authenticators: [authenticator] })
      await sessions.addPasskey(owner, authenticator.attestation.credentialId)
    },
    onSuccess: onClose, // not before: what is asked next asks for this passkey
  })
  return (
    <FormDialog
      title={account.addPasskey}
      action={account.addPasskey}
      isPending={register.isPending}
      error={register.error}
      onSubmit={() => register.mutate()}
      onClose={onClose}
    >
      <NameInput label={account.passkeyName} description={account.passkeyNameHint} value={name} onChange={setName} />
    </FormDialog>
  )
}
