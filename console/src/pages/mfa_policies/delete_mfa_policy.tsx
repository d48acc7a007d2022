import { DeleteByName } from '../../components/delete_by_name.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { MfaPolicy } from './methods.ts'

type DeleteProps = { readonly userId: string; readonly policy: MfaPolicy }

export function DeleteMfaPolicy({ userId, policy: { mfaPolicyId, mfaPolicyName } }: DeleteProps) {
  const { mfaPolicies: texts } = useTexts()
  return (
    <DeleteByName
      operation="delete_mfa_policy"
      parameters={{ userId, mfaPolicyId }}
      name={mfaPolicyName}
      id={mfaPolicyId}
      what={texts.delete}
      isQuiet
    >
      <p>{texts.deleteWarning}</p>
    </DeleteByName>
  )
}
