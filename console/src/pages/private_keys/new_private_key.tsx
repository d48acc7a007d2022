import { useState } from 'react'
import { CheckList } from '../../components/check_list.tsx'
import { NameInput } from '../../components/name_input.tsx'
import { SubmitDialog } from '../../components/submit_dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { Tag } from '../tags/tag_changes.ts'
import { type Chain, keyOf } from '../wallets/chains.ts'
import { ChainSelect } from '../wallets/new_account.tsx'

export function NewPrivateKey({ tags, onClose }: { readonly tags: readonly Tag[]; readonly onClose: () => void }) {
  const { keys: texts, users, common } = useTexts()
  const [name, setName] = useState('')
  const [chain, setChain] = useState<Chain>('ethereum')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const key = { privateKeyName: name.trim(), privateKeyTags: chosen, ...keyOf(chain) }
  return (
    <SubmitDialog
      operation="create_private_keys"
      title={texts.create}
      action={common.create}
      parameters={{ privateKeys: [key] }}
      onClose={onClose}
    >
      <NameInput label={texts.name} value={name} onChange={setName} />
      <ChainSelect chain={chain} onChange={setChain} />
      {tags.length > 0 && (
        <CheckList
          label={users.tags}
          choices={tags.map(({ tagId, tagName }) => ({ id: tagId, name: tagName }))}
          chosen={chosen}
          onChange={setChosen}
        />
      )}
    </SubmitDialog>
  )
}
