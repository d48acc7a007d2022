import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useSubmit } from '../../api/queries.ts'
import { CheckList } from '../../components/check_list.tsx'
import { FormDialog } from '../../components/form_dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { Tag } from '../tags/tag_changes.ts'
import { type Chain, keyOf } from '../wallets/chains.ts'
import { ChainSelect } from '../wallets/new_account.tsx'

const nameCharactersMax = 256

export function NewPrivateKey({ tags, onClose }: { readonly tags: readonly Tag[]; readonly onClose: () => void }) {
  const { keys: texts, users, common } = useTexts()
  const [name, setName] = useState('')
  const [chain, setChain] = useState<Chain>('ethereum')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const create = useSubmit('create_private_keys', { onDone: onClose })
  return (
    <FormDialog
      title={texts.create}
      action={common.create}
      isPending={create.isPending}
      error={create.error}
      onSubmit={() => {
        const key = { privateKeyName: name.trim(), privateKeyTags: chosen, ...keyOf(chain) }
        create.mutate({ privateKeys: [key] })
      }}
      onClose={onClose}
    >
      <TextInput
        label={texts.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        required
        maxLength={nameCharactersMax}
        autoComplete="off"
        data-autofocus
      />
      <ChainSelect chain={chain} onChange={setChain} />
      {tags.length > 0 && (
        <CheckList
          label={users.tags}
          choices={tags.map(({ tagId, tagName }) => ({ id: tagId, name: tagName }))}
          chosen={chosen}
          onChange={setChosen}
        />
      )}
    </FormDialog>
  )
}
