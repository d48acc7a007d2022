import { type ReactNode, useEffect } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { MarkIcon } from './icons.tsx'
import { LanguageChoice } from './language_choice.tsx'

/** A page for somebody who is not logged in: one card. */
export function CardFrame({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const { productName } = useTexts().common
  useEffect(() => {
    document.title = `${title} · ${productName}`
  }, [title, productName])
  return (
    <main className="login">
      <div className="login-card">
        <div className="login-brand">
          <span className="brand-mark">
            <MarkIcon size={22} />
          </span>
          <span>{productName}</span>
        </div>
        <h1>{title}</h1>
        {children}
      </div>
      <LanguageChoice />
    </main>
  )
}
