import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useSubmit } from '../../api/queries.ts'
import { ConfirmByName } from '../../components/confirm_by_name.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { Policy } from './drafts.ts'

export function DeletePolicy({ policy: { policyId, policyName } }: { readonly policy: Policy }) {
  const { policies: texts } = useTexts()
  const [isAsking, asking] = useDisclosure()
  const navigate = useNavigate()
  const remove = useSubmit('delete_policy', { onDone: () => void navigate({ to: '/policies' }) })
  return (
    <>
      <Button variant="default" size="xs" onClick={asking.open}>
        {texts.delete}
      </Button>
      {isAsking && (
        <ConfirmByName
          title={texts.delete}
          name={policyName}
          action={texts.delete}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate({ policyId })}
          onClose={asking.close}
        >
          <p>{texts.deleteWarning}</p>
        </ConfirmByName>
      )}
    </>
  )
}
