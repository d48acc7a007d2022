import { Textarea, type TextareaProps } from '@mantine/core'
import { useState } from 'react'
import type { Activities } from '../../api/operations.ts'
import { CodeBlock } from '../../components/code_block.tsx'
import { Copy } from '../../components/copy.tsx'
import { FormDialog } from '../../components/form_dialog.tsx'
import { useSubmit } from '../../state/queries.ts'
import { useTexts } from '../../texts/texts.tsx'

/** Asks for what shall be signed, and shows what was made of it. */
export function SignDialog<N extends keyof Activities>(props: SignProps<N>) {
  const { operation, parametersOf, signedIn, title, signedLabel, onClose, ...input } = props
  const { keys: texts, common } = useTexts()
  const [text, setText] = useState('')
  const sign = useSubmit(operation, {
    onDone: ({ result }) => {
      if (result === undefined) onClose() // it waits for approvals, and a notice says so
    },
  })
  const result = sign.data?.result
  const signed = result && signedIn(result)
  const parameters = parametersOf(text)
  return (
    <FormDialog
      title={title}
      action={signed === undefined ? texts.signNow : common.close}
      isPending={sign.isPending}
      error={sign.error}
      isOver={signed !== undefined}
      isDisabled={parameters === undefined}
      onSubmit={() => {
        if (signed !== undefined) onClose()
        else if (parameters !== undefined) sign.mutate(parameters)
      }}
      onClose={onClose}
    >
      <Textarea
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        readOnly={signed !== undefined}
        rows={5}
        data-autofocus
        {...input}
      />
      {signed !== undefined && (
        <div className="made-link-text">
          <CodeBlock label={signedLabel}>{signed}</CodeBlock>
          <Copy text={signed} what={signedLabel} />
        </div>
      )}
    </FormDialog>
  )
}

type SignProps<N extends keyof Activities> = Pick<
  TextareaProps,
  'label' | 'description' | 'maxLength' | 'spellCheck'
> & {
  readonly operation: N
  /** Undefined if there is nothing to sign yet. */
  readonly parametersOf: (text: string) => Activities[N]['parameters'] | undefined
  readonly signedIn: (result: Activities[N]['result']) => string
  readonly title: string
  readonly signedLabel: string
  readonly onClose: () => void
}
