import { Button, Group, Modal, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { ErrorBox } from './states.tsx'

/** Asks for the name of a thing before what cannot be undone happens to it. */
export function ConfirmByName({ title, name, action, isPending, error, onConfirm, onClose, children }: ConfirmProps) {
  const { common } = useTexts()
  const [typed, setTyped] = useState('')
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': common.close }}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (typed === name) onConfirm()
        }}
      >
        {children}
        <TextInput
          label={common.confirm.typeName(name)}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
        {error !== null && <ErrorBox error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" color="red" disabled={typed !== name} loading={isPending}>
            {action}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}

type ConfirmProps = {
  readonly title: string
  readonly name: string
  /** The text of the button, such as “Delete wallet”. */
  readonly action: string
  readonly isPending: boolean
  readonly error: unknown
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children?: ReactNode
}
