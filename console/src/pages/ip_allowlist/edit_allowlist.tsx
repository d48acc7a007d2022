import { Switch, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { Queries } from '../../api/operations.ts'
import { ServerError } from '../../api/server_error.ts'
import { FormDialog } from '../../components/form_dialog.tsx'
import { useTypedName } from '../../components/typed_name.tsx'
import { UnsavedGuard } from '../../components/unsaved_guard.tsx'
import { Warnings } from '../../components/warnings.tsx'
import { useSubmit } from '../../state/queries.ts'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { rulesIn, textOf } from './rules_text.ts'

export type Allowlist = Queries['get_ip_allowlist']['result']['allowlist']

type EditProps = { readonly allowlist: Allowlist; readonly onClose: () => void }

/**
 * Replaces the IP allowlist. Only the server knows the address from which the page asks, so a list without that address
 * is refused at first, and nothing is saved. The page then asks for the name of the organization.
 */
export function EditAllowlist({ allowlist, onClose }: EditProps) {
  const { allowlist: texts, common } = useTexts()
  const { organizationId, organizationName } = useSession()
  const [text, setText] = useState(() => textOf(allowlist.rules))
  const [isEnabled, setIsEnabled] = useState(allowlist.enabled ?? true)
  const [isLenient, setIsLenient] = useState(allowlist.onEvaluationError === 'ALLOW')
  const save = useSubmit('set_ip_allowlist', { onDone: onClose })
  const address = lockedOutAddress(save.error)
  const typed = useTypedName({ name: organizationName, id: organizationId })
  const isLockout = address !== undefined
  return (
    <>
      <UnsavedGuard isUnsaved={text !== textOf(allowlist.rules)} />
      <FormDialog
        title={texts.edit}
        action={isLockout ? texts.saveAnyway : common.save}
        isPending={save.isPending}
        error={isLockout ? null : save.error}
        isDangerous={isLockout}
        isKept
        isDisabled={isLockout && !typed.isRight}
        onSubmit={() =>
          save.mutate({
            rules: rulesIn(text),
            enabled: isEnabled,
            onEvaluationError: isLenient ? 'ALLOW' : 'DENY',
            ...(isLockout ? { allowLockout: true } : {}),
          })
        }
        onClose={onClose}
      >
        <Textarea
          label={texts.ranges}
          description={texts.rangesHint}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            save.reset()
          }}
          rows={5}
          spellCheck={false}
          data-autofocus
        />
        <Switch
          label={texts.enforced}
          checked={isEnabled}
          onChange={(event) => {
            setIsEnabled(event.currentTarget.checked)
            save.reset()
          }}
        />
        <Switch
          label={texts.lenient}
          checked={isLenient}
          onChange={(event) => {
            setIsLenient(event.currentTarget.checked)
            save.reset()
          }}
        />
        {isLockout && (
          <>
            <Warnings texts={[texts.lockout(address)]} />
            {typed.field}
          </>
        )}
      </FormDialog>
    </>
  )
}

/** The address that a refused list would shut out: the one from which this page asks. */
function lockedOutAddress(error: unknown): string | undefined {
  if (!(error instanceof ServerError)) return undefined
  return /would shut out (.+), the address of this request/.exec(error.message)?.[1]
}
