import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { FormDialog } from '../../components/form_dialog.tsx'
import { NameInput } from '../../components/name_input.tsx'
import { BundleRefused } from '../../secrets/bundles.ts'
import { useTexts } from '../../texts/texts.tsx'

/** Asks for the name of what is imported, and for its secret in `children`. `doImport` sends it. */
export function ImportDialog({ title, nameLabel, problem, doImport, onClose, children }: ImportProps) {
  const { secrets } = useTexts()
  const [name, setName] = useState('')
  const [isTried, setTried] = useState(false)
  const { error, isPending, mutate } = useMutation({
    gcTime: 0,
    mutationFn: () => doImport(name.trim()),
    onSuccess: onClose,
  })
  const waits = error instanceof ImportWaits ? secrets.importWaits : undefined
  const refused = error instanceof BundleRefused ? secrets.bundleRefused : undefined
  const told = (isTried ? problem : undefined) ?? waits ?? refused
  return (
    <FormDialog
      title={title}
      action={title}
      isPending={isPending}
      error={waits === undefined && refused === undefined ? error : null}
      isKept
      onSubmit={() => {
        setTried(true)
        if (problem === undefined) mutate()
      }}
      onClose={onClose}
    >
      <p>{secrets.importHow}</p>
      <NameInput label={nameLabel} value={name} onChange={setName} />
      {children}
      {told !== undefined && <p role="alert">{told}</p>}
    </FormDialog>
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
