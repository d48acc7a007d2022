import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { SubmitDialog } from '../../components/submit_dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { accountOf, type Chain, chainNames, freePath } from './chains.ts'

const nameCharactersMax = 256
const pathCharactersMax = 256

type NewAccountProps = {
  readonly walletId: string
  /** The paths at which the wallet has accounts. */
  readonly takenPaths: readonly string[]
  readonly onClose: () => void
}

/** Derives an account of a wallet: at the next free path of the chain, or at another. */
export function NewAccount({ walletId, takenPaths, onClose }: NewAccountProps) {
  const { keys: texts, wallets, common } = useTexts()
  const [chain, setChain] = useState<Chain>('ethereum')
  const [path, setPath] = useState(() => freePath('ethereum', takenPaths))
  const [name, setName] = useState('')
  const named = name.trim() === '' ? {} : { name: name.trim() }
  return (
    <SubmitDialog
      operation="create_wallet_accounts"
      title={texts.derive}
      action={common.create}
      parameters={{ walletId, accounts: [{ ...accountOf(chain, path.trim()), ...named }] }}
      onClose={onClose}
    >
      <ChainSelect
        chain={chain}
        onChange={(chosen) => {
          setChain(chosen)
          setPath(freePath(chosen, takenPaths))
        }}
      />
      <TextInput
        label={wallets.path}
        description={texts.pathHint}
        value={path}
        onChange={(event) => setPath(event.currentTarget.value)}
        required
        maxLength={pathCharactersMax}
        spellCheck={false}
        autoComplete="off"
      />
      <TextInput
        label={texts.accountName}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={nameCharactersMax}
        autoComplete="off"
      />
    </SubmitDialog>
  )
}

type ChainSelectProps = { readonly chain: Chain; readonly onChange: (chain: Chain) => void }

export function ChainSelect({ chain, onChange }: ChainSelectProps) {
  const { keys: texts } = useTexts()
  return (
    <NativeSelect
      label={texts.chain}
      value={chain}
      onChange={(event) => onChange(chainNames.find((one) => one === event.currentTarget.value) ?? 'ethereum')}
      data={chainNames.map((value) => ({ value, label: texts.chains[value] }))}
    />
  )
}
