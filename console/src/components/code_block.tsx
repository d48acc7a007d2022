import type { ReactNode } from 'react'

/** Text in a box that scrolls by itself, so it can be reached by keyboard. `label` names it to a screen reader. */
export function CodeBlock({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
    <section className="code-block" tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  )
}
