import type { Activities } from '../api/operations.ts'
import { useTexts } from '../texts/texts.tsx'
import { DialogButton } from './form_dialog.tsx'
import { SubmitDialog, type SubmitProps } from './submit_dialog.tsx'
import { useTypedName } from './typed_name.tsx'

/** A button that deletes a thing, once its name was typed. */
export function DeleteByName<N extends keyof Activities>({ isQuiet = false, what, ...asked }: DeleteProps<N>) {
  const { common } = useTexts()
  return (
    <DialogButton label={isQuiet ? common.delete : what} isQuiet={isQuiet}>
      {(close) => <Dialog {...asked} what={what} onClose={close} />}
    </DialogButton>
  )
}

/** `children`: a text about the loss. `onDone` is called if the deletion does not have to wait. */
type Deletion<N extends keyof Activities> = Pick<SubmitProps<N>, 'operation' | 'parameters' | 'onDone'> & {
  readonly children?: SubmitProps<N>['children']
  readonly name: string
  readonly id: string
  /** Such as “Delete wallet”. */
  readonly what: string
}

/** `isQuiet`: a button in a row of a table, which says “Delete” alone. */
type DeleteProps<N extends keyof Activities> = Deletion<N> & { readonly isQuiet?: boolean }

function Dialog<N extends keyof Activities>({
  name,
  id,
  what,
  onDone,
  children,
  ...dialog
}: Deletion<N> & { readonly onClose: () => void }) {
  const typed = useTypedName({ name, id })
  return (
    <SubmitDialog
      {...dialog}
      title={what}
      action={what}
      isDangerous
      isDisabled={!typed.isRight}
      onDone={(submitted) => {
        if (submitted.activity.status === 'ACTIVITY_STATUS_COMPLETED') onDone?.(submitted)
      }}
    >
      {children}
      {typed.field}
    </SubmitDialog>
  )
}
