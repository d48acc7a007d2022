import { createContext, type ReactNode, use, useState } from 'react'
import type { Texts } from './types.ts'

const loaders = {
  en: async (): Promise<Texts> => (await import('./en.ts')).en,
  de: async (): Promise<Texts> => (await import('./de.ts')).de,
}

export type Language = keyof typeof loaders

/** Each language by its own name. */
export const languageNames: { readonly [L in Language]: string } = { en: 'English', de: 'Deutsch' }

const storageKey = 'claviger.language'

type Spoken = { readonly language: Language; readonly texts: Texts }
type Context = Spoken & { readonly speak: (language: Language) => Promise<void> }

const SpokenContext = createContext<Context | undefined>(undefined)

/** The language that was chosen here before, or the first of the browser's that there is. */
export async function firstLanguage(): Promise<Spoken> {
  const wanted = [localStorage.getItem(storageKey) ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2))
  return spoken(wanted.find(isLanguage) ?? 'en')
}

export function TextsProvider({ first, children }: { readonly first: Spoken; readonly children: ReactNode }) {
  const [current, setCurrent] = useState(first)
  const speak = async (language: Language) => {
    localStorage.setItem(storageKey, language)
    setCurrent(await spoken(language))
  }
  return <SpokenContext value={{ ...current, speak }}>{children}</SpokenContext>
}

export function useTexts(): Texts {
  return useSpoken().texts
}

export function useSpoken(): Context {
  const context = use(SpokenContext)
  if (context === undefined) throw new Error('texts are inside a TextsProvider')
  return context
}

async function spoken(language: Language): Promise<Spoken> {
  const texts = await loaders[language]()
  document.documentElement.lang = language
  return { language, texts }
}

function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(loaders, tag)
}
