import { Link } from '@tanstack/react-router'
import type { Queries } from '../../api/operations.ts'
import { type Column, DataTable } from '../../components/data_table.tsx'
import { DialogButton } from '../../components/form_dialog.tsx'
import { AddIcon, WalletsIcon } from '../../components/icons.tsx'
import { Id } from '../../components/id.tsx'
import { PageFrame } from '../../components/page_frame.tsx'
import { Answer, Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user_text.tsx'
import { useAsk } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'
import { ImportWallet } from './import_wallet.tsx'
import { NewWallet } from './new_wallet.tsx'

type Wallet = Queries['list_wallets']['result']['wallets'][number]

export function WalletsPage() {
  const { wallets: texts, secrets, common } = useTexts()
  const wallets = useAsk('list_wallets', {})
  const columns: readonly Column<Wallet>[] = [
    {
      key: 'name',
      label: common.name,
      show: ({ walletId, walletName }) => (
        <Link to="/wallets/$walletId" params={{ walletId }} className="link">
          <UserText text={walletName} />
        </Link>
      ),
    },
    { key: 'origin', label: texts.origin, show: (wallet) => <Origin wallet={wallet} /> },
    { key: 'created', label: common.created, show: ({ createdAt }) => <Time of={createdAt} /> },
    { key: 'id', label: common.id, show: ({ walletId }) => <Id id={walletId} /> },
  ]
  const actions = (
    <>
      <DialogButton label={secrets.importWallet}>{(close) => <ImportWallet onClose={close} />}</DialogButton>
      <DialogButton label={texts.create} icon={<AddIcon size={16} />} isMain>
        {(close) => <NewWallet onClose={close} />}
      </DialogButton>
    </>
  )
  return (
    <PageFrame title={texts.title} about={texts.about} actions={actions}>
      <Answer of={wallets}>
        {({ wallets: rows }) =>
          rows.length === 0 ? (
            <Empty icon={<WalletsIcon size={28} />} title={texts.emptyTitle}>
              {texts.emptyText}
            </Empty>
          ) : (
            <DataTable label={texts.title} columns={columns} rows={rows} keyOf={({ walletId }) => walletId} />
          )
        }
      </Answer>
    </PageFrame>
  )
}

type OriginProps = { readonly wallet: Pick<Wallet, 'imported' | 'exported'> }

/** The origin of the secret of a wallet or private key, and whether it was let out. */
export function Origin({ wallet: { imported, exported } }: OriginProps) {
  const { wallets: texts } = useTexts()
  return [imported ? texts.imported : texts.madeHere, ...(exported ? [texts.exported] : [])].join(', ')
}
