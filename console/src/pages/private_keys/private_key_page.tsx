import { useNavigate, useParams } from '@tanstack/react-router'
import type { Queries } from '../../api/operations.ts'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { DeleteByName } from '../../components/delete_by_name.tsx'
import { Address, Id } from '../../components/id.tsx'
import { Facts, PageFrame, Section } from '../../components/page_frame.tsx'
import { Answer } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'
import { ExportSecret } from '../secrets/export_secret.tsx'
import { AddressCode } from '../signing/address_code.tsx'
import { SignMessage } from '../signing/sign_message.tsx'
import { TagChips } from '../tags/tag_chips.tsx'
import { curveName, formatName } from '../wallets/chains.ts'
import { Origin } from '../wallets/wallets_page.tsx'

type PrivateKey = Queries['get_private_key']['result']['privateKey']

export function PrivateKeyPage() {
  const { privateKeyId } = useParams({ from: '/private-keys/$privateKeyId' })
  const asked = useAsk('get_private_key', { privateKeyId })
  return <Answer of={asked}>{({ privateKey }) => <Shown privateKey={privateKey} />}</Answer>
}

function Shown({ privateKey }: { readonly privateKey: PrivateKey }) {
  const { keys: texts, users, wallets, common } = useTexts()
  const tags = useAsk('list_private_key_tags', {})
  const { privateKeyId, privateKeyName, privateKeyTags, publicKey, curve, addresses, createdAt } = privateKey
  const signer = { signWith: privateKeyId, curve, addressFormats: addresses.map(({ format }) => format) }
  return (
    <PageFrame
      title={privateKeyName}
      heading={<UserText text={privateKeyName} />}
      back={{ to: '/private-keys', label: texts.back }}
      actions={
        <>
          <ExportSecret kind="privateKey" id={privateKeyId} name={privateKeyName} />
          <DeletePrivateKey privateKey={privateKey} />
        </>
      }
    >
      <Facts
        facts={[
          [wallets.origin, <Origin key="origin" wallet={privateKey} />],
          [wallets.derivation, curveName(curve)],
          [texts.publicKey, <Id key="public" id={publicKey} what={texts.publicKey} />],
          [common.created, <Time key="created" of={createdAt} />],
          [common.id, <Id key="id" id={privateKeyId} />],
        ]}
      />
      <Section title={users.tags}>
        <Answer of={tags}>
          {({ privateKeyTags: all }) => (
            <TagChips kind="privateKey" holderId={privateKeyId} tagIds={privateKeyTags} tags={all} />
          )}
        </Answer>
      </Section>
      <Section title={texts.addresses} aside={<SignMessage signer={signer} />}>
        <Addresses addresses={addresses} />
      </Section>
    </PageFrame>
  )
}

function Addresses({ addresses }: Pick<PrivateKey, 'addresses'>) {
  const { keys: texts, wallets, common } = useTexts()
  const columns: readonly Column<PrivateKey['addresses'][number]>[] = [
    {
      key: 'address',
      label: wallets.address,
      show: ({ address }) => <Address address={address} what={wallets.address} />,
    },
    { key: 'format', label: wallets.addressFormat, show: ({ format }) => formatName(format) },
    {
      key: 'actions',
      label: common.actions,
      align: 'end',
      show: ({ address }) => <AddressCode address={address} />,
    },
  ]
  if (addresses.length === 0) return <p className="hint">{texts.noAddresses}</p>
  return <DataTable label={texts.addresses} columns={columns} rows={addresses} keyOf={({ format }) => format} />
}

/** The server refuses to delete a key that was never exported, and says so. */
function DeletePrivateKey({ privateKey: { privateKeyId, privateKeyName } }: { readonly privateKey: PrivateKey }) {
  const { keys: texts } = useTexts()
  const navigate = useNavigate()
  return (
    <DeleteByName
      operation="delete_private_keys"
      parameters={{ privateKeyIds: [privateKeyId] }}
      name={privateKeyName}
      id={privateKeyId}
      what={texts.delete}
      onDone={() => void navigate({ to: '/private-keys' })}
    >
      <p>{texts.deleteWarning}</p>
    </DeleteByName>
  )
}
