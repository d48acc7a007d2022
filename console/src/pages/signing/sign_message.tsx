import { DialogButton } from '../../components/form_dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { messageFormOf, payloadOf, type Signer, signatureOf } from './message_form.ts'
import { SignDialog } from './sign_dialog.tsx'

const messageCharactersMax = 10_000

/** A button for signing a message by which somebody proves to hold an address. */
export function SignMessage({ signer, isQuiet = false }: { readonly signer: Signer; readonly isQuiet?: boolean }) {
  const { keys: texts } = useTexts()
  const { signWith } = signer
  const form = messageFormOf(signer)
  return (
    <DialogButton label={texts.sign} isQuiet={isQuiet}>
      {(close) => (
        <SignDialog
          title={texts.sign}
          operation="sign_raw_payload"
          parametersOf={(message) => (message === '' ? undefined : { signWith, ...payloadOf(message, form) })}
          label={texts.message}
          description={texts.forms[form]}
          maxLength={messageCharactersMax}
          signedLabel={texts.signature}
          signedIn={(signed) => signatureOf(form, signed)}
          onClose={close}
        />
      )}
    </DialogButton>
  )
}
