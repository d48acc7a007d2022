import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { shortName } from '../../../../src/contract/explanation/shown_values.ts'
import { en } from '../../texts/en.ts'
import { TextsProvider } from '../../texts/texts.tsx'
import { MeaningTitle } from './meaning_title.tsx'

test('a title says how many characters a name has that was cut before the console got it', () => {
  const title = { code: 'callContract', values: [shortName('n'.repeat(300))] }
  const children = createElement(MeaningTitle, { title })
  const markup = renderToStaticMarkup(createElement(TextsProvider, { first: { language: 'en', texts: en }, children }))
  expect(markup).toContain('n'.repeat(80))
  expect(markup).not.toContain('n'.repeat(81))
  expect(markup).toContain('300 characters in all')
})
