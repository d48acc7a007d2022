import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { useSubmit } from '../../api/queries.ts'
import { CodeBlock } from '../../components/code_block.tsx'
import { Copy } from '../../components/copy.tsx'
import { DialogButton, FormDialog } from '../../components/form_dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { transactionTypeOf } from './transaction_type.ts'

const transactionCharactersMax = 1_048_576

type Signer = { readonly address: string; readonly addressFormat: string }

/** A button for signing a transaction that another program prepared. Chains whose transactions are not read have none. */
export function SignTransaction({ signer }: { readonly signer: Signer }) {
  const { keys: texts } = useTexts()
  const type = transactionTypeOf(signer.addressFormat)
  if (type === undefined) return null
  return (
    <DialogButton label={texts.signTransaction} isQuiet>
      {(close) => <Dialog signWith={signer.address} type={type} onClose={close} />}
    </DialogButton>
  )
}

type DialogProps = {
  readonly signWith: string
  readonly type: NonNullable<ReturnType<typeof transactionTypeOf>>
  readonly onClose: () => void
}

function Dialog({ signWith, type, onClose }: DialogProps) {
  const { keys: texts, common } = useTexts()
  const [unsigned, setUnsigned] = useState('')
  const sign = useSubmit('sign_transaction', {
    onDone: ({ result }) => {
      if (result === undefined) onClose() // it waits for approvals, and a notice says so
    },
  })
  const signed = sign.data?.result?.signedTransaction
  const unsignedTransaction = unsigned.replace(/\s+/g, '')
  return (
    <FormDialog
      title={texts.signTransaction}
      action={signed === undefined ? texts.signNow : common.close}
      isPending={sign.isPending}
      error={sign.error}
      isOver={signed !== undefined}
      isDisabled={unsignedTransaction === ''}
      onSubmit={() => {
        if (signed !== undefined) onClose()
        else sign.mutate({ signWith, type, unsignedTransaction })
      }}
      onClose={onClose}
    >
      <Textarea
        label={texts.unsignedTransaction}
        description={texts.unsignedTransactionHint}
        value={unsigned}
        onChange={(event) => setUnsigned(event.currentTarget.value)}
        readOnly={signed !== undefined}
        rows={5}
        maxLength={transactionCharactersMax}
        spellCheck={false}
        data-autofocus
      />
      {signed !== undefined && (
        <div className="made-link-text">
          <CodeBlock label={texts.signedTransaction}>{signed}</CodeBlock>
          <Copy text={signed} what={texts.signedTransaction} />
        </div>
      )}
    </FormDialog>
  )
}
