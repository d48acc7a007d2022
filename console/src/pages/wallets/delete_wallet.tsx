import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import type { Queries } from '../../api/operations.ts'
import { useSubmit } from '../../api/queries.ts'
import { ConfirmByName } from '../../components/confirm_by_name.tsx'
import { useTexts } from '../../texts/texts.tsx'

type Wallet = Queries['get_wallet']['result']['wallet']

/** The server refuses to delete a wallet that was never exported, and says so. */
export function DeleteWallet({ wallet: { walletId, walletName } }: { readonly wallet: Wallet }) {
  const { wallets: texts } = useTexts()
  const [isAsking, asking] = useDisclosure()
  const navigate = useNavigate()
  const remove = useSubmit('delete_wallets', { onDone: () => void navigate({ to: '/wallets' }) })
  return (
    <>
      <Button variant="default" size="xs" onClick={asking.open}>
        {texts.delete}
      </Button>
      {isAsking && (
        <ConfirmByName
          title={texts.delete}
          name={walletName}
          action={texts.delete}
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate({ walletIds: [walletId] })}
          onClose={asking.close}
        >
          <p>{texts.deleteWarning}</p>
        </ConfirmByName>
      )}
    </>
  )
}
