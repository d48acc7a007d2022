import { TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { visibleParts } from '../../../src/protocol/tools/visible_text.ts'
import { useTexts } from '../texts/texts.tsx'
import { UserText } from './user_text.tsx'

const typedCharactersMax = 60

type Named = {
  readonly name: string
  /** Asked for in place of a name that nobody can type. */
  readonly id: string
}

/** A field for the name of a thing, and whether it holds the name. */
export function useTypedName({ name, id }: Named): { readonly field: ReactNode; readonly isRight: boolean } {
  const { common } = useTexts()
  const [typed, setTyped] = useState('')
  const wanted = isTypeable(name) ? name : id
  const field = (
    <>
      {wanted !== name && <UserText text={name} />}
      <TextInput
        label={common.confirm.typeName(wanted)}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
    </>
  )
  return { field, isRight: typed === wanted }
}

/** Whether a person can read a name and type it: it is short, and shows all of its characters. */
function isTypeable(name: string): boolean {
  const isPlain = name.trim() === name && visibleParts(name).every(({ kind }) => kind === 'plain')
  return name.length <= typedCharactersMax && isPlain
}
