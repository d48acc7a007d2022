import { Button, Group, Modal, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ErrorBox } from '../../components/states.tsx'
import { BundleRefused } from '../../secrets/bundles.ts'
import { useTexts } from '../../texts/texts.tsx'

/** Asks for the name of what is imported, and for its secret in `children`. `doImport` sends it. */
export function ImportDialog({ title, nameLabel, problem, doImport, onClose, children }: ImportProps) {
  const { secrets, common } = useTexts()
  const [name, setName] = useState('')
  const [isTried, setTried] = useState(false)
  const send = useMutation({ gcTime: 0, mutationFn: () => doImport(name.trim()), onSuccess: onClose })
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': common.close }}
      closeOnClickOutside={false}
    >
      <form
        className="form"
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          setTried(true)
          if (problem === undefined) send.mutate()
        }}
      >
        <p>{secrets.importHow}</p>
        <TextInput
          label={nameLabel}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          maxLength={256}
          autoComplete="off"
          data-autofocus
        />
        {children}
        {isTried && problem !== undefined && <p role="alert">{problem}</p>}
        {send.error instanceof ImportWaits && <p role="alert">{secrets.importWaits}</p>}
        {send.error instanceof BundleRefused && <p role="alert">{secrets.bundleRefused}</p>}
        {send.error !== null && !(send.error instanceof ImportWaits || send.error instanceof BundleRefused) && (
          <ErrorBox error={send.error} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={send.isPending}>
            {title}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}

type ImportProps = {
  readonly title: string
  readonly nameLabel: string
  /** The fault of the secret that was typed. Undefined if it has none. */
  readonly problem: string | undefined
  readonly doImport: (name: string) => Promise<unknown>
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The request for a target of the import waits, so there is nothing yet to which the secret could be encrypted. */
export class ImportWaits extends Error {
  override readonly name = 'ImportWaits'
}

/** Keeps a secret out of the browser's memory of what was typed. */
export const secretInput = {
  autoComplete: 'off',
  autoCapitalize: 'none',
  autoCorrect: 'off',
  spellCheck: false,
  'data-1p-ignore': true,
} as const
