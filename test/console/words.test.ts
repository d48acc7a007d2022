import { expect, test } from 'vitest'
import { de } from '../../console/src/texts/de.ts'
import { operations } from '../../src/operations/catalogue.ts'
import { englishTexts } from '../../src/operations/explanation/label_texts.ts'
import { instructionOf, programNames } from '../../src/operations/explanation/signing/solana_instructions.ts'
import { tronContractFields } from '../../src/policy/transactions/tron/tron.ts'

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

test('every value of an enum that a signing request shows has a German word', () => {
  const schemas = operations.flatMap((operation) =>
    operation.kind === 'activity' && operation.name.startsWith('sign_')
      ? operation.types.map(({ parameters }) => parameters)
      : [],
  )
  const instructions = [...programNames.keys()].flatMap((program) =>
    Array.from({ length: 256 }, (_, number) =>
      [1, 5, 9, 19].map((size) => Uint8Array.of(number, ...new Uint8Array(size - 1))),
    )
      .flat()
      .concat([Uint8Array.of(26, 1, ...new Uint8Array(17))])
      .flatMap((data) => instructionOf(program, data)?.code ?? []),
  )
  const shown = [...schemas.flatMap(enumsIn), ...instructions, ...tronContractFields.keys()]
  expect(new Set(shown).size).toBeGreaterThan(40)
  expect([...new Set(shown)].filter((code) => !Object.hasOwn(labels, code))).toEqual([])
})

/** The values of all enums in a JSON schema. */
function enumsIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { enum: values = [] } = schema as { readonly enum?: readonly string[] }
  return [...values, ...Object.values(schema).flatMap(enumsIn)]
}

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
