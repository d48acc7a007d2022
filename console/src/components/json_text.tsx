import { CodeBlock } from './code_block.tsx'
import { UserText } from './user_text.tsx'

const charactersMax = 20_000

/** A value as indented JSON. */
export function JsonText({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    <CodeBlock label={label}>
      <UserText text={JSON.stringify(value, null, 2)} charactersMax={charactersMax} hasLines />
    </CodeBlock>
  )
}
