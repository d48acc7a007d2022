import { Checkbox, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { shortened } from './id.tsx'
import { UserText } from './user_text.tsx'

export type Choice = { readonly id: string; readonly name: string }

/** From this many choices on, a field narrows them. */
const searchFrom = 10

/** Things to choose from, by name and id: names may be the same. `chosen` has the ids of those that are chosen. */
export function CheckList({ label, choices, chosen, onChange }: CheckListProps) {
  const { common } = useTexts()
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const shown = choices.filter(({ name }) => name.toLowerCase().includes(wanted))
  return (
    <fieldset className="check-list">
      <legend>{label}</legend>
      {choices.length >= searchFrom && (
        <TextInput
          size="xs"
          aria-label={common.search}
          placeholder={common.search}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <div className="check-list-choices">
        {shown.map(({ id, name }) => (
          <Checkbox
            key={id}
            size="xs"
            label={<UserText text={name} charactersMax={60} />}
            description={<code>{shortened(id)}</code>}
            checked={chosen.includes(id)}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...chosen, id] : chosen.filter((other) => other !== id))
            }
          />
        ))}
        {shown.length === 0 && <span className="hint">{common.none}</span>}
      </div>
    </fieldset>
  )
}

type CheckListProps = {
  readonly label: string
  readonly choices: readonly Choice[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}
