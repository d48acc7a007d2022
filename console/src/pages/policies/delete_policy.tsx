import { useNavigate } from '@tanstack/react-router'
import { DeleteByName } from '../../components/delete_by_name.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { Policy } from './drafts.ts'

export function DeletePolicy({ policy: { policyId, policyName } }: { readonly policy: Policy }) {
  const { policies: texts } = useTexts()
  const navigate = useNavigate()
  return (
    <DeleteByName
      operation="delete_policy"
      parameters={{ policyId }}
      name={policyName}
      id={policyId}
      what={texts.delete}
      onDone={() => void navigate({ to: '/policies' })}
    >
      <p>{texts.deleteWarning}</p>
    </DeleteByName>
  )
}
