import { useNavigate } from '@tanstack/react-router'
import type { Queries } from '../../api/operations.ts'
import { DeleteByName } from '../../components/delete_by_name.tsx'
import { useTexts } from '../../texts/texts.tsx'

type Wallet = Queries['get_wallet']['result']['wallet']

/** The server refuses to delete a wallet that was never exported, and says so. */
export function DeleteWallet({ wallet: { walletId, walletName } }: { readonly wallet: Wallet }) {
  const { wallets: texts } = useTexts()
  const navigate = useNavigate()
  return (
    <DeleteByName
      operation="delete_wallets"
      parameters={{ walletIds: [walletId] }}
      name={walletName}
      id={walletId}
      what={texts.delete}
      onDone={() => void navigate({ to: '/wallets' })}
    >
      <p>{texts.deleteWarning}</p>
    </DeleteByName>
  )
}
