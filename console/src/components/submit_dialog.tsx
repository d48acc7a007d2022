import type { Submitted } from '../api/client.ts'
import type { Activities } from '../api/operations.ts'
import { useSubmit } from '../state/queries.ts'
import { FormDialog, type FormDialogProps } from './form_dialog.tsx'

/** A dialog whose button submits an activity. It closes once the server has taken the activity up. */
export function SubmitDialog<N extends keyof Activities>({ operation, parameters, onDone, ...dialog }: SubmitProps<N>) {
  const submit = useSubmit(operation, {
    onDone: (submitted) => {
      dialog.onClose()
      onDone?.(submitted)
    },
  })
  return (
    <FormDialog
      {...dialog}
      isPending={submit.isPending}
      error={submit.error}
      onSubmit={() => submit.mutate(parameters)}
    />
  )
}

export type SubmitProps<N extends keyof Activities> = Omit<FormDialogProps, 'isPending' | 'error' | 'onSubmit'> & {
  readonly operation: N
  readonly parameters: Activities[N]['parameters']
  readonly onDone?: ((submitted: Submitted<N>) => void) | undefined
}
