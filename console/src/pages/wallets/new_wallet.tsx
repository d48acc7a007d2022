import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useSubmit } from '../../api/queries.ts'
import { FormDialog } from '../../components/form_dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { Chain } from './chains.ts'
import { FirstAccount, firstAccountsOf } from './first_account.tsx'

export function NewWallet({ onClose }: { readonly onClose: () => void }) {
  const { wallets: texts, common } = useTexts()
  const [walletName, setWalletName] = useState('')
  const [chain, setChain] = useState<Chain | undefined>('ethereum')
  const create = useSubmit('create_wallet', { onDone: onClose })
  return (
    <FormDialog
      title={texts.create}
      action={common.create}
      isPending={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate({ walletName: walletName.trim(), accounts: firstAccountsOf(chain) })}
      onClose={onClose}
    >
      <TextInput
        label={texts.walletName}
        value={walletName}
        onChange={(event) => setWalletName(event.currentTarget.value)}
        required
        maxLength={256}
        autoComplete="off"
        data-autofocus
      />
      <FirstAccount chain={chain} onChange={setChain} />
    </FormDialog>
  )
}
