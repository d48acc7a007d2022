import { NativeSelect } from '@mantine/core'
import { useTexts } from '../../texts/texts.tsx'
import { accountOf, type Chain, chainNames, freePath } from './chains.ts'

type FirstAccountProps = {
  /** Undefined: no account. */
  readonly chain: Chain | undefined
  readonly onChange: (chain: Chain | undefined) => void
}

/** The choice of the account with which a wallet begins. */
export function FirstAccount({ chain, onChange }: FirstAccountProps) {
  const { wallets: texts, keys } = useTexts()
  return (
    <NativeSelect
      label={texts.firstAccount}
      value={chain ?? ''}
      onChange={(event) => onChange(chainNames.find((one) => one === event.currentTarget.value))}
      data={[
        ...chainNames.map((value) => ({ value, label: keys.chains[value] })),
        { value: '', label: texts.noAccountYet },
      ]}
    />
  )
}

export function firstAccountsOf(chain: Chain | undefined) {
  return chain === undefined ? [] : [accountOf(chain, freePath(chain, []))]
}
