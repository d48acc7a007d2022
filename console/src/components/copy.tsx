import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { useTexts } from '../texts/texts.tsx'
import { CheckIcon, CopyIcon } from './icons.tsx'

/** Copies a text. `what` names it to a screen reader. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const { common } = useTexts()
  return (
    <CopyButton value={text} timeout={1_500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? common.copied : common.copy(what)} withArrow>
          <ActionIcon variant="subtle" size="sm" onClick={copy} aria-label={common.copy(what)} className="copy">
            {copied ? <CheckIcon /> : <CopyIcon />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}
