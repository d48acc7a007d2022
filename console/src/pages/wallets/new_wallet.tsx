import { useState } from 'react'
import { NameInput } from '../../components/name_input.tsx'
import { SubmitDialog } from '../../components/submit_dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { Chain } from './chains.ts'
import { FirstAccount, firstAccountsOf } from './first_account.tsx'

export function NewWallet({ onClose }: { readonly onClose: () => void }) {
  const { wallets: texts, common } = useTexts()
  const [walletName, setWalletName] = useState('')
  const [chain, setChain] = useState<Chain | undefined>('ethereum')
  return (
    <SubmitDialog
      operation="create_wallet"
      title={texts.create}
      action={common.create}
      parameters={{ walletName: walletName.trim(), accounts: firstAccountsOf(chain) }}
      onClose={onClose}
    >
      <NameInput label={texts.walletName} value={walletName} onChange={setWalletName} />
      <FirstAccount chain={chain} onChange={setChain} />
    </SubmitDialog>
  )
}
