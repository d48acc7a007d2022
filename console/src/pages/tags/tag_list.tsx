import { useState } from 'react'
import { CheckList, type Choice } from '../../components/check_list.tsx'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { DeleteByName } from '../../components/delete_by_name.tsx'
import { DialogButton, FormDialog } from '../../components/form_dialog.tsx'
import { AddIcon, TagIcon } from '../../components/icons.tsx'
import { Id } from '../../components/id.tsx'
import { NameInput } from '../../components/name_input.tsx'
import { Section } from '../../components/page_frame.tsx'
import { Empty } from '../../components/states.tsx'
import { SubmitDialog } from '../../components/submit_dialog.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { type Tag, type TagKind, useTagChanges } from './tag_changes.ts'

/** A user or a private key, with the ids of its tags. */
export type Holder = Choice & { readonly tagIds: readonly string[] }

/** All tags of one kind, with those that have each. Rules name tags by their id. */
export function TagList({ kind, tags, holders }: TagListProps) {
  const { tags: texts, common } = useTexts()
  const holdersOf = ({ tagId }: Tag) => holders.filter(({ tagIds }) => tagIds.includes(tagId))
  const columns: readonly Column<Tag>[] = [
    { key: 'name', label: common.name, show: ({ tagName }) => <UserText text={tagName} /> },
    {
      key: 'holders',
      label: texts.holders[kind],
      show: (tag) => (
        <UserText
          text={
            holdersOf(tag)
              .map(({ name }) => name)
              .join(', ') || '–'
          }
        />
      ),
    },
    { key: 'created', label: common.created, show: ({ createdAt }) => <Time of={createdAt} /> },
    { key: 'id', label: common.id, show: ({ tagId }) => <Id id={tagId} /> },
    {
      key: 'actions',
      label: common.actions,
      align: 'end',
      show: (tag) => (
        <span className="row-actions">
          <DialogButton label={common.edit} isQuiet>
            {(close) => (
              <EditTag
                kind={kind}
                tag={tag}
                held={holdersOf(tag).map(({ id }) => id)}
                holders={holders}
                onClose={close}
              />
            )}
          </DialogButton>
          <DeleteTag kind={kind} tag={tag} />
        </span>
      ),
    },
  ]
  return (
    <Section
      title={texts.title[kind]}
      aside={
        <DialogButton label={texts.create} icon={<AddIcon size={14} />}>
          {(close) => <NewTag kind={kind} holders={holders} onClose={close} />}
        </DialogButton>
      }
    >
      {tags.length === 0 ? (
        <Empty icon={<TagIcon size={28} />} title={texts.emptyTitle}>
          {texts.emptyText[kind]}
        </Empty>
      ) : (
        <DataTable label={texts.title[kind]} columns={columns} rows={tags} keyOf={({ tagId }) => tagId} />
      )}
    </Section>
  )
}

type TagListProps = { readonly kind: TagKind; readonly tags: readonly Tag[]; readonly holders: readonly Holder[] }

function DeleteTag({ kind, tag: { tagId, tagName } }: { readonly kind: TagKind; readonly tag: Tag }) {
  const { tags: texts } = useTexts()
  const common = { name: tagName, id: tagId, what: texts.delete, isQuiet: true, children: <p>{texts.deleteWarning}</p> }
  return kind === 'user' ? (
    <DeleteByName operation="delete_user_tags" parameters={{ userTagIds: [tagId] }} {...common} />
  ) : (
    <DeleteByName operation="delete_private_key_tags" parameters={{ privateKeyTagIds: [tagId] }} {...common} />
  )
}

type DialogProps = { readonly kind: TagKind; readonly holders: readonly Holder[]; readonly onClose: () => void }

function NewTag({ kind, holders, onClose }: DialogProps) {
  const { tags: texts, common } = useTexts()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const children = <TagFields {...{ kind, name, setName, holders, chosen, setChosen }} />
  const dialog = { title: texts.create, action: common.create, onClose, children }
  const tagName = name.trim()
  return kind === 'user' ? (
    <SubmitDialog operation="create_user_tag" parameters={{ userTagName: tagName, userIds: chosen }} {...dialog} />
  ) : (
    <SubmitDialog
      operation="create_private_key_tag"
      parameters={{ privateKeyTagName: tagName, privateKeyIds: chosen }}
      {...dialog}
    />
  )
}

function EditTag({
  kind,
  tag: { tagId, tagName },
  held,
  holders,
  onClose,
}: DialogProps & { readonly tag: Tag; readonly held: readonly string[] }) {
  const { tags: texts, common } = useTexts()
  const [name, setName] = useState(tagName)
  const [chosen, setChosen] = useState(held)
  const { change, isPending, error } = useTagChanges(kind, onClose)
  return (
    <FormDialog
      title={texts.edit}
      action={common.save}
      isPending={isPending}
      error={error}
      onSubmit={() =>
        change({
          tagId,
          ...(name.trim() === tagName ? {} : { name: name.trim() }),
          add: chosen.filter((id) => !held.includes(id)),
          remove: held.filter((id) => !chosen.includes(id)),
        })
      }
      onClose={onClose}
    >
      <TagFields {...{ kind, name, setName, holders, chosen, setChosen }} />
    </FormDialog>
  )
}

type Fields = {
  readonly kind: TagKind
  readonly name: string
  readonly setName: (name: string) => void
  readonly holders: readonly Holder[]
  readonly chosen: readonly string[]
  readonly setChosen: (chosen: readonly string[]) => void
}

function TagFields({ kind, name, setName, holders, chosen, setChosen }: Fields) {
  const { tags: texts } = useTexts()
  return (
    <>
      <NameInput label={texts.name} value={name} onChange={setName} />
      <CheckList label={texts.holders[kind]} choices={holders} chosen={chosen} onChange={setChosen} />
    </>
  )
}
