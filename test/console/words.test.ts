import { expect, test } from 'vitest'
import { de } from '../../console/src/texts/de.ts'
import { operations } from '../../src/operations/catalogue.ts'
import { englishTexts } from '../../src/operations/explanation/label_texts.ts'

const { labels } = de.meaning.explanation

test('every activity and every word with an English text of its own has a German one', () => {
  const names = operations.flatMap(({ kind, name }) => (kind === 'activity' ? [name] : []))
  const missing = [...names, ...Object.keys(englishTexts.labels)].filter((code) => !Object.hasOwn(labels, code))
  expect(missing).toEqual([])
})

test('every parameter of an activity has a German name', () => {
  const fields = operations.flatMap((operation) =>
    operation.kind === 'activity' ? namesIn(JSON.parse(JSON.stringify(operation.types[0]?.parameters ?? {}))) : [],
  )
  expect([...new Set(fields)].filter((name) => !Object.hasOwn(labels, name))).toEqual([])
})

/** The names of all members that a JSON schema describes. */
function namesIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties } = schema as { readonly properties?: Readonly<Record<string, unknown>> }
  const own = properties === undefined ? [] : Object.keys(properties)
  return [...own, ...Object.values(properties ?? schema).flatMap(namesIn)]
}

test('a German title has the values of the English one', () => {
  for (const [code, text] of Object.entries(englishTexts.titles)) {
    const german = Object.entries(de.meaning.explanation.titles).find(([key]) => key === code)?.[1] ?? ''
    expect(german.match(/\{[0-9]\}/g)?.toSorted(), code).toEqual(text.match(/\{[0-9]\}/g)?.toSorted())
  }
})
