import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { sealForImport } from '../../secrets/bundles.ts'
import { bytesOfHex } from '../../stamping/encoding.ts'
import { useSubmit } from '../../state/queries.ts'
import { useSession } from '../../state/session.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ImportDialog, ImportWaits, secretInput } from '../secrets/import_dialog.tsx'
import { type Chain, keyOf } from '../wallets/chains.ts'
import { ChainSelect } from '../wallets/new_account.tsx'

/** Imports a private key, which this page encrypts. */
export function ImportKey({ onClose }: { readonly onClose: () => void }) {
  const { secrets, keys } = useTexts()
  const { organizationId, userId } = useSession()
  const [key, setKey] = useState('')
  const [chain, setChain] = useState<Chain>('ethereum')
  const begin = useSubmit('init_import_private_key')
  const send = useSubmit('import_private_key')
  const digits = key.trim().replace(/^0x/, '')
  const importNamed = async (privateKeyName: string) => {
    const { result } = await begin.mutateAsync({ userId })
    if (result === undefined) throw new ImportWaits()
    const sealed = { plaintext: bytesOfHex(digits), organizationId, userId }
    const encryptedBundle = await sealForImport(result.importBundle, sealed)
    await send.mutateAsync({ userId, privateKeyName, encryptedBundle, ...keyOf(chain) })
  }
  return (
    <ImportDialog
      title={secrets.importKey}
      nameLabel={keys.name}
      problem={/^[0-9a-f]{64}$/i.test(digits) ? undefined : secrets.keyInvalid}
      doImport={importNamed}
      onClose={onClose}
    >
      <TextInput
        label={secrets.key}
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        required
        {...secretInput}
      />
      <ChainSelect chain={chain} onChange={setChain} />
    </ImportDialog>
  )
}
