import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useSubmit } from '../../api/queries.ts'
import { ConfirmByName } from '../../components/confirm_by_name.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { MfaPolicy } from './methods.ts'

type DeleteProps = { readonly userId: string; readonly policy: MfaPolicy }

export function DeleteMfaPolicy({ userId, policy: { mfaPolicyId, mfaPolicyName } }: DeleteProps) {
  const { mfaPolicies: texts } = useTexts()
  const [isAsking, asking] = useDisclosure()
  const remove = useSubmit('delete_mfa_policy', { onDone: asking.close })
  return (
    <>
      <Button variant="default" size="compact-xs" mt={6} onClick={asking.open}>
        {texts.delete}
      </Button>
      {isAsking && (
        <ConfirmByName
          title={texts.delete}
          name={mfaPolicyName}
          action={texts.delete}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate({ userId, mfaPolicyId })}
          onClose={asking.close}
        >
          <p>{texts.deleteWarning}</p>
        </ConfirmByName>
      )}
    </>
  )
}
