import { WarningIcon } from './icons.tsx'

/** Warns of effects of a change that its author may not intend. */
export function Warnings({ texts }: { readonly texts: readonly string[] }) {
  return (
    <div role="status" aria-live="polite">
      {texts.map((text) => (
        <p key={text} className="warning-text">
          <WarningIcon size={16} /> <span>{text}</span>
        </p>
      ))}
    </div>
  )
}
