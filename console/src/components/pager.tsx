import { Button, Group } from '@mantine/core'
import { useTexts } from '../texts/texts.tsx'

/** Goes to the page before and after. Nothing is shown where there is one page. */
export function Pager({ isFirst, isLast, onNewer, onOlder }: PagerProps) {
  const { common } = useTexts()
  if (isFirst && isLast) return null
  return (
    <Group justify="space-between" className="pager">
      <Button variant="default" size="xs" disabled={isFirst} onClick={onNewer}>
        {common.newer}
      </Button>
      <Button variant="default" size="xs" disabled={isLast} onClick={onOlder}>
        {common.older}
      </Button>
    </Group>
  )
}

type PagerProps = {
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly onNewer: () => void
  readonly onOlder: () => void
}
