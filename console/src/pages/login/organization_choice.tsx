import { NativeSelect, TextInput } from '@mantine/core'
import { choiceLabel } from '../../components/choice_label.ts'
import type { KnownOrganization } from '../../session/organizations.ts'
import { useTexts } from '../../texts/texts.tsx'

/** A value of the choice that is no organization: the id is typed. */
export const typedChoice = 'typed'

type OrganizationChoiceProps = {
  /** The organizations that were used in this browser. */
  readonly known: readonly KnownOrganization[]
  /** Further choices, which are no organizations. */
  readonly others?: readonly { readonly value: string; readonly label: string }[]
  readonly choice: string
  readonly onChoice: (choice: string) => void
  readonly typedId: string
  readonly onTypedId: (id: string) => void
  readonly description?: string | undefined
}

/** Chooses the organization of a login. Names that look alike are told apart by their ids. */
export function OrganizationChoice(props: OrganizationChoiceProps) {
  const { login } = useTexts()
  const { known, others = [], choice, onChoice, typedId, onTypedId, description } = props
  return (
    <>
      {known.length + others.length > 0 && (
        <NativeSelect
          label={login.organization}
          value={choice}
          onChange={(event) => onChoice(event.currentTarget.value)}
          data={[
            ...known.map(({ organizationId, organizationName, userName }) => ({
              value: organizationId,
              label: choiceLabel({ id: organizationId, name: `${organizationName} (${userName})` }),
            })),
            ...others,
            { value: typedChoice, label: login.otherOrganization },
          ]}
          {...(description === undefined ? {} : { description })}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
        />
      )}
      {choice === typedChoice && (
        <TextInput
          label={login.organizationId}
          value={typedId}
          onChange={(event) => onTypedId(event.currentTarget.value)}
          spellCheck={false}
          autoComplete="off"
          data-autofocus
        />
      )}
    </>
  )
}
