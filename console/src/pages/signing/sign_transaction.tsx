import { DialogButton } from '../../components/form_dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { SignDialog } from './sign_dialog.tsx'
import { transactionTypeOf } from './transaction_type.ts'

const transactionCharactersMax = 1_048_576

type Signer = { readonly address: string; readonly addressFormat: string }

/** A button for signing a transaction that another program prepared. Chains whose transactions are not read have none. */
export function SignTransaction({ signer: { address, addressFormat } }: { readonly signer: Signer }) {
  const { keys: texts } = useTexts()
  const type = transactionTypeOf(addressFormat)
  if (type === undefined) return null
  return (
    <DialogButton label={texts.signTransaction} isQuiet>
      {(close) => (
        <SignDialog
          title={texts.signTransaction}
          operation="sign_transaction"
          parametersOf={(text) => {
            const unsignedTransaction = text.replace(/\s+/g, '')
            return unsignedTransaction === '' ? undefined : { signWith: address, type, unsignedTransaction }
          }}
          label={texts.unsignedTransaction}
          description={texts.unsignedTransactionHint}
          maxLength={transactionCharactersMax}
          spellCheck={false}
          signedLabel={texts.signedTransaction}
          signedIn={({ signedTransaction }) => signedTransaction}
          onClose={close}
        />
      )}
    </DialogButton>
  )
}
