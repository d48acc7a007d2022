import { CloseButton, NativeSelect } from '@mantine/core'
import { choiceLabel } from '../../components/choice_label.ts'
import { ErrorBox } from '../../components/states.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { type Tag, type TagKind, useTagChanges } from './tag_changes.ts'

/** The tags of one user or private key, which can be taken off, and those that can be put on. */
export function TagChips({ kind, holderId, tagIds, tags }: TagChipsProps) {
  const { tags: texts } = useTexts()
  const { change, isPending, error } = useTagChanges(kind)
  const own = tags.filter(({ tagId }) => tagIds.includes(tagId))
  const others = tags.filter(({ tagId }) => !tagIds.includes(tagId))
  return (
    <>
      <div className="chips">
        {own.map(({ tagId, tagName }) => (
          <span key={tagId} className="chip">
            <UserText text={tagName} charactersMax={60} />
            <CloseButton
              size="xs"
              aria-label={texts.takeOff(tagName)}
              disabled={isPending}
              onClick={() => change({ tagId, remove: [holderId] })}
            />
          </span>
        ))}
        {own.length === 0 && <span className="hint">{texts.noneHere}</span>}
        {others.length > 0 && (
          <NativeSelect
            size="xs"
            aria-label={texts.putOn}
            value=""
            disabled={isPending}
            onChange={(event) => change({ tagId: event.currentTarget.value, add: [holderId] })}
            data={[
              { value: '', label: texts.putOn },
              ...others.map(({ tagId, tagName }) => ({
                value: tagId,
                label: choiceLabel({ id: tagId, name: tagName }),
              })),
            ]}
          />
        )}
      </div>
      {error !== null && <ErrorBox error={error} />}
    </>
  )
}

type TagChipsProps = {
  readonly kind: TagKind
  readonly holderId: string
  readonly tagIds: readonly string[]
  readonly tags: readonly Tag[]
}

/** The names of tags, in a row of a table. */
export function TagNames({ tagIds, tags }: { readonly tagIds: readonly string[]; readonly tags: readonly Tag[] }) {
  const own = tags.filter(({ tagId }) => tagIds.includes(tagId))
  if (own.length === 0) return '–'
  return (
    <span className="chips">
      {own.map(({ tagId, tagName }) => (
        <span key={tagId} className="chip">
          <UserText text={tagName} charactersMax={60} />
        </span>
      ))}
    </span>
  )
}
