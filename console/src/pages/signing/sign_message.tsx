import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { useSubmit } from '../../api/queries.ts'
import { CodeBlock } from '../../components/code_block.tsx'
import { Copy } from '../../components/copy.tsx'
import { DialogButton, FormDialog } from '../../components/form_dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { messageFormOf, payloadOf, type Signer, signatureOf } from './message_form.ts'

const messageCharactersMax = 10_000

/** A button for signing a message by which somebody proves to hold an address. */
export function SignMessage({ signer, isQuiet = false }: { readonly signer: Signer; readonly isQuiet?: boolean }) {
  const { keys: texts } = useTexts()
  return (
    <DialogButton label={texts.sign} isQuiet={isQuiet}>
      {(close) => <Dialog signer={signer} onClose={close} />}
    </DialogButton>
  )
}

function Dialog({ signer, onClose }: { readonly signer: Signer; readonly onClose: () => void }) {
  const { keys: texts, common } = useTexts()
  const [message, setMessage] = useState('')
  const form = messageFormOf(signer)
  const sign = useSubmit('sign_raw_payload', {
    onDone: ({ result }) => {
      if (result === undefined) onClose() // it waits for approvals, and a notice says so
    },
  })
  const signed = sign.data?.result
  const signature = signed && signatureOf(form, signed)
  return (
    <FormDialog
      title={texts.sign}
      action={signature === undefined ? texts.signNow : common.close}
      isPending={sign.isPending}
      error={sign.error}
      isOver={signature !== undefined}
      isDisabled={message === ''}
      onSubmit={() => {
        if (signature !== undefined) onClose()
        else sign.mutate({ signWith: signer.signWith, ...payloadOf(message, form) })
      }}
      onClose={onClose}
    >
      <Textarea
        label={texts.message}
        description={texts.forms[form]}
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
        readOnly={signature !== undefined}
        rows={5}
        maxLength={messageCharactersMax}
        data-autofocus
      />
      {signature !== undefined && (
        <div className="made-link-text">
          <CodeBlock label={texts.signature}>{signature}</CodeBlock>
          <Copy text={signature} what={texts.signature} />
        </div>
      )}
    </FormDialog>
  )
}
