import { Tabs } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Queries } from '../../api/operations.ts'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { DialogButton } from '../../components/form_dialog.tsx'
import { AddIcon, KeyIcon } from '../../components/icons.tsx'
import { Id } from '../../components/id.tsx'
import { PageFrame } from '../../components/page_frame.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'
import type { Tag } from '../tags/tag_changes.ts'
import { TagNames } from '../tags/tag_chips.tsx'
import { TagList } from '../tags/tag_list.tsx'
import { curveName } from '../wallets/chains.ts'
import { ImportKey } from './import_key.tsx'
import { NewPrivateKey } from './new_private_key.tsx'

type PrivateKey = Queries['list_private_keys']['result']['privateKeys'][number]

export function PrivateKeysPage() {
  const { keys: texts, users, secrets } = useTexts()
  const asked = useAsk('list_private_keys', {})
  const askedTags = useAsk('list_private_key_tags', {})
  const tags = askedTags.data?.privateKeyTags ?? []
  const actions = (
    <>
      <DialogButton label={secrets.importKey}>{(close) => <ImportKey onClose={close} />}</DialogButton>
      <DialogButton label={texts.create} icon={<AddIcon size={16} />} isMain>
        {(close) => <NewPrivateKey tags={tags} onClose={close} />}
      </DialogButton>
    </>
  )
  return (
    <PageFrame title={texts.title} about={texts.about} actions={actions}>
      <Answer of={asked}>
        {({ privateKeys }) => (
          <Tabs defaultValue="keys" keepMounted={false}>
            <Tabs.List mb="md">
              <Tabs.Tab value="keys">{texts.title}</Tabs.Tab>
              <Tabs.Tab value="tags">{users.tags}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="keys">
              <Keys privateKeys={privateKeys} tags={tags} />
            </Tabs.Panel>
            <Tabs.Panel value="tags">
              <Answer of={askedTags}>
                {({ privateKeyTags }) => (
                  <TagList kind="privateKey" tags={privateKeyTags} holders={privateKeys.map(holderOf)} />
                )}
              </Answer>
            </Tabs.Panel>
          </Tabs>
        )}
      </Answer>
    </PageFrame>
  )
}

function holderOf({ privateKeyId, privateKeyName, privateKeyTags }: PrivateKey) {
  return { id: privateKeyId, name: privateKeyName, tagIds: privateKeyTags }
}

function Keys({ privateKeys, tags }: { readonly privateKeys: readonly PrivateKey[]; readonly tags: readonly Tag[] }) {
  const { keys: texts, users, wallets, common } = useTexts()
  const columns: readonly Column<PrivateKey>[] = [
    {
      key: 'name',
      label: common.name,
      show: ({ privateKeyId, privateKeyName }) => (
        <Link to="/private-keys/$privateKeyId" params={{ privateKeyId }} className="link">
          <UserText text={privateKeyName} />
        </Link>
      ),
    },
    { key: 'curve', label: wallets.derivation, show: ({ curve }) => curveName(curve) },
    {
      key: 'address',
      label: wallets.address,
      show: ({ addresses: [first] }) => (first === undefined ? '–' : <Id id={first.address} what={wallets.address} />),
    },
    { key: 'tags', label: users.tags, show: ({ privateKeyTags }) => <TagNames tagIds={privateKeyTags} tags={tags} /> },
    { key: 'created', label: common.created, show: ({ createdAt }) => <Time of={createdAt} /> },
  ]
  if (privateKeys.length === 0) {
    return (
      <Empty icon={<KeyIcon size={28} />} title={texts.emptyTitle}>
        {texts.emptyText}
      </Empty>
    )
  }
  return (
    <DataTable label={texts.title} columns={columns} rows={privateKeys} keyOf={({ privateKeyId }) => privateKeyId} />
  )
}
