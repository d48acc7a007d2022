import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { sealForImport } from '../../secrets/bundles.ts'
import { utf8 } from '../../stamping/encoding.ts'
import { useSubmit } from '../../state/queries.ts'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ImportDialog, ImportWaits, secretInput } from '../secrets/import_dialog.tsx'
import type { Chain } from './chains.ts'
import { FirstAccount, firstAccountsOf } from './first_account.tsx'

const wordCounts = [12, 15, 18, 21, 24]

/** Imports a wallet from its recovery phrase, which this page encrypts. */
export function ImportWallet({ onClose }: { readonly onClose: () => void }) {
  const { secrets, wallets } = useTexts()
  const { organizationId, userId } = useSession()
  const [phrase, setPhrase] = useState('')
  const [chain, setChain] = useState<Chain | undefined>('ethereum')
  const begin = useSubmit('init_import_wallet')
  const send = useSubmit('import_wallet')
  const words = phrase.trim().toLowerCase().split(/\s+/)
  const importNamed = async (walletName: string) => {
    const { result } = await begin.mutateAsync({ userId })
    if (result === undefined) throw new ImportWaits()
    const sealed = { plaintext: utf8(words.join(' ')), organizationId, userId }
    const encryptedBundle = await sealForImport(result.importBundle, sealed)
    await send.mutateAsync({ userId, walletName, encryptedBundle, accounts: firstAccountsOf(chain) })
  }
  return (
    <ImportDialog
      title={secrets.importWallet}
      nameLabel={wallets.walletName}
      problem={wordCounts.includes(words.length) ? undefined : secrets.phraseInvalid}
      doImport={importNamed}
      onClose={onClose}
    >
      <Textarea
        label={secrets.phrase}
        value={phrase}
        onChange={(event) => setPhrase(event.currentTarget.value)}
        required
        rows={4}
        {...secretInput}
      />
      <FirstAccount chain={chain} onChange={setChain} />
    </ImportDialog>
  )
}
