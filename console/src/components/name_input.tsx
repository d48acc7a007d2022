import { TextInput, type TextInputProps } from '@mantine/core'

const nameCharactersMax = 256

type NameProps = Omit<TextInputProps, 'onChange'> & { readonly onChange: (name: string) => void }

/** The first field of a dialog, for a name that it asks for. */
export function NameInput({ onChange, ...input }: NameProps) {
  return (
    <TextInput
      onChange={(event) => onChange(event.currentTarget.value)}
      required
      maxLength={nameCharactersMax}
      autoComplete="off"
      data-autofocus
      {...input}
    />
  )
}
