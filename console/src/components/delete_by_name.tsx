import type { ReactNode } from 'react'
import type { Submitted } from '../api/client.ts'
import type { Activities } from '../api/operations.ts'
import { useSubmit } from '../api/queries.ts'
import { useTexts } from '../texts/texts.tsx'
import { ConfirmByName } from './confirm_by_name.tsx'
import { DialogButton } from './form_dialog.tsx'

/** A button that deletes a thing, once its name was typed. `what` is such as “Delete wallet”. */
export function DeleteByName<N extends keyof Activities>({ isQuiet = false, what, ...asked }: DeleteProps<N>) {
  const { common } = useTexts()
  return (
    <DialogButton label={isQuiet ? common.delete : what} isQuiet={isQuiet}>
      {(close) => <Dialog {...asked} what={what} onClose={close} />}
    </DialogButton>
  )
}

type Deletion<N extends keyof Activities> = {
  readonly operation: N
  readonly parameters: Activities[N]['parameters']
  readonly name: string
  readonly id: string
  readonly what: string
  readonly onDone?: (submitted: Submitted<N>) => void
  /** A text about the loss. */
  readonly children?: ReactNode
}

/** `isQuiet`: a button in a row of a table, which says “Delete” alone. */
type DeleteProps<N extends keyof Activities> = Deletion<N> & { readonly isQuiet?: boolean }

function Dialog<N extends keyof Activities>({
  operation,
  parameters,
  name,
  id,
  what,
  onDone,
  onClose,
  children,
}: Deletion<N> & { readonly onClose: () => void }) {
  const remove = useSubmit(operation, {
    onDone: (submitted) => {
      onClose()
      if (submitted.activity.status === 'ACTIVITY_STATUS_COMPLETED') onDone?.(submitted)
    },
  })
  return (
    <ConfirmByName
      title={what}
      name={name}
      id={id}
      action={what}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(parameters)}
      onClose={onClose}
    >
      {children}
    </ConfirmByName>
  )
}
