import { useTexts } from '../texts/texts.tsx'
import { WarningIcon } from './icons.tsx'

/** Says that a link which this page made names `localhost`, if it does. */
export function LocalhostWarning() {
  const { common } = useTexts()
  if (location.hostname !== 'localhost') return null
  return (
    <p className="warning-text">
      <WarningIcon size={16} /> {common.localhost}
    </p>
  )
}
