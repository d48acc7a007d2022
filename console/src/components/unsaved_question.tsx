import { useTexts } from '../texts/texts.tsx'
import { FormDialog } from './form_dialog.tsx'

type QuestionProps = { readonly onLeave: () => void; readonly onStay: () => void }

/** Asks whether what was typed may be lost. */
export function UnsavedQuestion({ onLeave, onStay }: QuestionProps) {
  const { common } = useTexts()
  return (
    <FormDialog
      title={common.unsaved.title}
      action={common.unsaved.leave}
      isDangerous
      onSubmit={onLeave}
      onClose={onStay}
    >
      <p>{common.unsaved.text}</p>
    </FormDialog>
  )
}
