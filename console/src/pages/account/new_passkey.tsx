import { Button, Group, Modal, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Queries } from '../../api/operations.ts'
import { useSubmit } from '../../api/queries.ts'
import { AddIcon } from '../../components/icons.tsx'
import { ErrorBox } from '../../components/states.tsx'
import { useSession } from '../../session/session.tsx'
import { registerPasskey } from '../../stamping/passkeys.ts'
import { useTexts } from '../../texts/texts.tsx'

type User = Queries['get_user']['result']['user']

/** Registers a passkey in this browser, and adds it to the user who is logged in. */
export function NewPasskey({ user }: { readonly user: User }) {
  const { account } = useTexts()
  const [isOpen, dialog] = useDisclosure()
  return (
    <>
      <Button variant="default" size="xs" leftSection={<AddIcon size={14} />} onClick={dialog.open}>
        {account.addPasskey}
      </Button>
      {isOpen && <Dialog user={user} onClose={dialog.close} />}
    </>
  )
}

function Dialog({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const { account, common } = useTexts()
  const { organizationId, userId } = useSession()
  const [name, setName] = useState('')
  const add = useSubmit('create_authenticators', { onDone: onClose })
  const register = useMutation({
    mutationFn: async () => {
      const authenticator = await registerPasskey({
        authenticatorName: name.trim(),
        userName: user.userName,
        owner: { organizationId, userId },
        knownCredentialIds: user.authenticators.map(({ credentialId }) => credentialId),
      })
      await add.mutateAsync({ userId, authenticators: [authenticator] })
    },
  })
  return (
    <Modal opened onClose={onClose} title={account.addPasskey} closeButtonProps={{ 'aria-label': common.close }}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          register.mutate()
        }}
      >
        <TextInput
          label={account.passkeyName}
          description={account.passkeyNameHint}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          maxLength={256}
          autoComplete="off"
          data-autofocus
        />
        {register.error !== null && <ErrorBox error={register.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={register.isPending}>
            {account.addPasskey}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
