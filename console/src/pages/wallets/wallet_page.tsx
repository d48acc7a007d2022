import { useParams } from '@tanstack/react-router'
import type { Queries } from '../../api/operations.ts'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { DialogButton } from '../../components/form_dialog.tsx'
import { AddIcon } from '../../components/icons.tsx'
import { Address, Id } from '../../components/id.tsx'
import { Facts, PageFrame, Section } from '../../components/page_frame.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'
import { ExportSecret } from '../secrets/export_secret.tsx'
import { AddressCode } from '../signing/address_code.tsx'
import { SignMessage } from '../signing/sign_message.tsx'
import { SignTransaction } from '../signing/sign_transaction.tsx'
import { curveName, formatName } from './chains.ts'
import { DeleteWallet } from './delete_wallet.tsx'
import { NewAccount } from './new_account.tsx'
import { Origin } from './wallets_page.tsx'

type Account = Queries['list_wallet_accounts']['result']['accounts'][number]

const accountsMax = '100'

export function WalletPage() {
  const { walletId } = useParams({ from: '/wallets/$walletId' })
  const { wallets: texts, common } = useTexts()
  const asked = useAsk('get_wallet', { walletId })
  return (
    <Answer of={asked}>
      {({ wallet }) => (
        <PageFrame
          title={wallet.walletName}
          heading={<UserText text={wallet.walletName} />}
          back={{ to: '/wallets', label: texts.back }}
          actions={
            <>
              <ExportSecret kind="wallet" id={walletId} name={wallet.walletName} />
              <DeleteWallet wallet={wallet} />
            </>
          }
        >
          <Facts
            facts={[
              [texts.origin, <Origin key="origin" wallet={wallet} />],
              [common.created, <Time key="created" of={wallet.createdAt} />],
              [common.id, <Id key="id" id={walletId} />],
            ]}
          />
          <Accounts walletId={walletId} />
        </PageFrame>
      )}
    </Answer>
  )
}

function Accounts({ walletId }: { readonly walletId: string }) {
  const { wallets: texts, keys, common } = useTexts()
  const accounts = useAsk('list_wallet_accounts', { walletId, paginationOptions: { limit: accountsMax } })
  const takenPaths = accounts.data?.accounts.map(({ path }) => path) ?? []
  const columns: readonly Column<Account>[] = [
    {
      key: 'address',
      label: texts.address,
      show: ({ address, name }) => (
        <>
          {name !== undefined && (
            <div>
              <UserText text={name} />
            </div>
          )}
          <Address address={address} what={texts.address} />
        </>
      ),
    },
    {
      key: 'format',
      label: texts.format,
      show: ({ addressFormat, curve, path }) => (
        <div>
          <div>
            {formatName(addressFormat)}, {curveName(curve)}
          </div>
          <code className="hint">{path}</code>
        </div>
      ),
    },
    { key: 'actions', label: common.actions, align: 'end', show: (account) => <Actions account={account} /> },
  ]
  return (
    <Section
      title={texts.accounts}
      aside={
        accounts.data !== undefined && (
          <DialogButton label={keys.derive} icon={<AddIcon size={14} />}>
            {(close) => <NewAccount walletId={walletId} takenPaths={takenPaths} onClose={close} />}
          </DialogButton>
        )
      }
    >
      <Answer of={accounts}>
        {({ accounts: rows }) =>
          rows.length === 0 ? (
            <Empty title={texts.noAccountsTitle}>{texts.noAccountsText}</Empty>
          ) : (
            <DataTable
              label={texts.accounts}
              columns={columns}
              rows={rows}
              keyOf={({ walletAccountId }) => walletAccountId}
            />
          )
        }
      </Answer>
    </Section>
  )
}

function Actions({ account: { address, curve, addressFormat } }: { readonly account: Account }) {
  return (
    <span className="row-actions">
      <AddressCode address={address} />
      <SignTransaction signer={{ address, addressFormat }} />
      <SignMessage signer={{ signWith: address, curve, addressFormats: [addressFormat] }} isQuiet />
    </span>
  )
}
