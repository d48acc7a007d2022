import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEffect } from 'react'
import { visibleText } from '../../../src/protocol/tools/visible_text.ts'
import { useTexts } from '../texts/texts.tsx'
import { BackIcon } from './icons.tsx'

/** The head of a page, and its content below. The title is the document's too. */
export function PageFrame({ title, heading, about, actions, back, children }: PageFrameProps) {
  const { productName } = useTexts().common
  useEffect(() => {
    document.title = `${visibleText(title).text} · ${productName}`
  }, [title, productName])
  return (
    <>
      <header className="page-head">
        <div className="page-head-text">
          {back !== undefined && (
            <Link to={back.to} className="page-back">
              <BackIcon size={14} /> {back.label}
            </Link>
          )}
          <h1>{heading ?? title}</h1>
          {about !== undefined && <p className="page-about">{about}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

type PageFrameProps = {
  readonly title: string
  /** In place of the title, where it is more than a plain text. */
  readonly heading?: ReactNode
  readonly about?: string
  readonly actions?: ReactNode
  readonly back?: { readonly to: string; readonly label: string }
  readonly children: ReactNode
}

/** A part of a page with a heading. */
export function Section({ title, aside, children }: SectionProps) {
  return (
    <section className="section">
      <div className="section-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

type SectionProps = { readonly title: string; readonly aside?: ReactNode; readonly children: ReactNode }

/** Names and values, in two columns. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
