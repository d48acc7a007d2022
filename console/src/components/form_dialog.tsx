import { Button, Group, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { ErrorBox } from './states.tsx'

/** A dialog with a form. `action` is the text of the button that submits it. */
export function FormDialog({
  title,
  action,
  isPending = false,
  error = null,
  isDisabled = false,
  isDangerous = false,
  isOver = false,
  isKept = false,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const { common } = useTexts()
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': common.close }}
      closeOnClickOutside={!isKept}
    >
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isDisabled) onSubmit()
        }}
      >
        {children}
        {error !== null && <ErrorBox error={error} />}
        <Group justify="flex-end">
          {!isOver && (
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
          )}
          <Button type="submit" loading={isPending} disabled={isDisabled} {...(isDangerous ? { color: 'red' } : {})}>
            {action}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}

export type FormDialogProps = {
  readonly title: string
  readonly action: string
  readonly isPending?: boolean
  readonly error?: unknown
  readonly isDisabled?: boolean
  /** Whether the action cannot be undone. */
  readonly isDangerous?: boolean
  /** Whether there is nothing left to cancel. */
  readonly isOver?: boolean
  /** Whether a click beside the dialog leaves it open: what was typed cannot be typed again easily. */
  readonly isKept?: boolean
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A button that opens a dialog. `children` gets what closes it. */
export function DialogButton({ label, icon, isMain = false, isQuiet = false, children }: DialogButtonProps) {
  const [isOpen, dialog] = useDisclosure()
  return (
    <>
      <Button
        variant={isMain ? 'filled' : isQuiet ? 'subtle' : 'default'}
        size={isMain ? 'sm' : 'xs'}
        leftSection={icon}
        aria-haspopup="dialog"
        onClick={dialog.open}
      >
        {label}
      </Button>
      {isOpen && children(dialog.close)}
    </>
  )
}

type DialogButtonProps = {
  readonly label: string
  readonly icon?: ReactNode
  /** The one button of a page that stands out. */
  readonly isMain?: boolean
  /** A button in a row of a table. */
  readonly isQuiet?: boolean
  readonly children: (close: () => void) => ReactNode
}
