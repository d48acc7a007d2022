import { Button, Group, Modal, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useSubmit } from '../../api/queries.ts'
import { ErrorBox } from '../../components/states.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** Each with the path at which wallets of that chain look first. */
export const firstAccounts = {
  ethereum: [account({ curve: 'CURVE_SECP256K1', path: "m/44'/60'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_ETHEREUM' })],
  bitcoin: [
    account({
      curve: 'CURVE_SECP256K1',
      path: "m/86'/0'/0'/0/0",
      addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR',
    }),
  ],
  solana: [account({ curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' })],
  none: [],
} as const

export type Kind = keyof typeof firstAccounts
export const kinds: readonly Kind[] = ['ethereum', 'bitcoin', 'solana', 'none']

export function NewWallet({ onClose }: { readonly onClose: () => void }) {
  const { wallets: texts, common } = useTexts()
  const [walletName, setWalletName] = useState('')
  const [kind, setKind] = useState<Kind>('ethereum')
  const create = useSubmit('create_wallet', { onDone: onClose })
  return (
    <Modal opened onClose={onClose} title={texts.create} closeButtonProps={{ 'aria-label': common.close }}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate({ walletName: walletName.trim(), accounts: firstAccounts[kind] })
        }}
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
        <NativeSelect
          label={texts.firstAccount}
          value={kind}
          onChange={(event) => setKind(kinds.find((one) => one === event.currentTarget.value) ?? 'none')}
          data={kinds.map((value) => ({ value, label: texts.accountKinds[value] }))}
        />
        {create.error !== null && <ErrorBox error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {common.create}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}

function account<const A extends object>(of: A) {
  return { ...of, pathFormat: 'PATH_FORMAT_BIP32' } as const
}
