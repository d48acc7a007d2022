import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Row } from '../../../src/contract/explanation/explanation.ts'
import { de } from '../texts/de.ts'
import { en } from '../texts/en.ts'
import { TextsProvider } from '../texts/texts.tsx'
import { AskedBy } from './meaning/meaning_gist.tsx'
import { MeaningTitle } from './meaning/meaning_title.tsx'
import { MeaningRows } from './meaning/meaning_value.tsx'
import { UserText } from './user_text.tsx'

type First = Parameters<typeof TextsProvider>[0]['first']
const english: First = { language: 'en', texts: en }
const german: First = { language: 'de', texts: de }

const markupOf = (children: ReturnType<typeof createElement>, first = english) =>
  renderToStaticMarkup(createElement(TextsProvider, { first, children }))
const shownOf = (children: ReturnType<typeof createElement>, first = english) =>
  markupOf(children, first).replace(/<[^>]*>/g, '')

const rowOf = (row: Row) => createElement(MeaningRows, { rows: [row] })
const textOf = (text: string) => rowOf({ label: 'condition', value: { kind: 'text', text } })
const elementOf = (text: string) => createElement(UserText, { text, charactersMax: 9_000 })

test('a gap stands as its count beside what follows, in English and German', () => {
  for (const [gap, inEnglish, inGerman] of [
    ['\n'.repeat(4_700), '⟨4,700 line breaks⟩', '⟨4.700 Zeilenumbrüche⟩'],
    [' \t'.repeat(1_000), '⟨2,000 blanks⟩', '⟨2.000 Leerzeichen⟩'],
    [`\n${' '.repeat(30)}`, '⟨1 line break, 30 blanks⟩', '⟨1 Zeilenumbruch, 30 Leerzeichen⟩'],
  ] as const) {
    for (const element of [textOf(`a${gap}|| true`), elementOf(`a${gap}|| true`)]) {
      expect(shownOf(element)).toContain(`a${inEnglish}|| true`)
      expect(shownOf(element, german)).toContain(`a${inGerman}|| true`)
    }
  }
})

test('a name in a title and before a value stays on one line, and a text keeps its lines', () => {
  const title = {
    code: 'signTypedData',
    values: [{ kind: 'text', text: 'Shop.\nWarnings: none\n\nFee: 0 ETH' }],
  } as const
  expect(shownOf(createElement(MeaningTitle, { title }))).toContain('“Shop.↵Warnings: none↵↵Fee: 0 ETH”')
  expect(shownOf(rowOf({ name: 'a\nWarnings', value: { kind: 'code', code: 'none' } }))).toBe('“a↵Warnings”none')
  expect(shownOf(textOf('one\ntwo'))).toContain('“one\ntwo”')
})

test('a text of a user stands in quotes that nothing in it can end', () => {
  const name = 'passkey, approved by Ada and Ben'
  const rows: readonly Row[] = [
    { label: 'requestedBy', value: { kind: 'id', id: '0'.repeat(36), of: 'user', name: 'Eve' } },
    {
      label: 'credential',
      value: {
        kind: 'tree',
        rows: [
          { label: 'means', value: { kind: 'code', code: 'AUTHENTICATION_TYPE_API_KEY' } },
          { label: 'name', value: { kind: 'text', text: name } },
        ],
      },
    },
  ]
  const explanation = {
    ...{ activityId: '', organizationId: '', type: '', status: '', title: { code: '', values: [] } },
    sections: [{ kind: 'request', rows }],
  } as const
  expect(shownOf(createElement(AskedBy, { explanation }))).toMatch(
    /^Asked by “Eve” 0+…0000, by API key “passkey, approved by Ada and Ben”$/,
  )
  expect(shownOf(textOf('Bob” (user 1), “approved'))).toContain('“BobU+201D (user 1), U+201Capproved”')
  expect(markupOf(textOf('say "yes"'))).toContain(
    '<mark class="lookalike" title="Looks like the end of the quotes">&quot;',
  )
  const title = { code: 'createPolicy', values: [{ kind: 'text', text: 'n'.repeat(90), characters: 300 }] } as const
  expect(shownOf(createElement(MeaningTitle, { title }))).toContain(`“${'n'.repeat(80)}”… 300 characters in all`)
})

test('a name that the request gives to a value looks like no label of ours', () => {
  const value = { kind: 'text', text: 'none' } as const
  const given = markupOf(rowOf({ name: 'Warning', value }))
  expect(given).toContain('<span class="meaning-given-label"><span>“<bdi class="user-text"><span>Warning</span></bdi>”')
  expect(markupOf(rowOf({ label: 'warning', value }))).toContain('<span class="meaning-label">warning</span>')
})
