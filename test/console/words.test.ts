import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { problemIn } from '../../console/src/editor/expressions.ts'
import { expressionProblems } from '../../console/src/texts/de/expression_problems.ts'
import { functionWords } from '../../console/src/texts/de/function_words.ts'
import { meaningLabels } from '../../console/src/texts/de/meaning_labels.ts'
import { operationsOfKeys } from '../../console/src/texts/de/operations/keys.ts'
import { operationNames } from '../../console/src/texts/de/operations/operation_names.ts'
import { operationsOfOrganization } from '../../console/src/texts/de/operations/organization.ts'
import { operationsOfPeople } from '../../console/src/texts/de/operations/people.ts'
import { refusals } from '../../console/src/texts/de/refusals.ts'
import { solanaWords } from '../../console/src/texts/de/solana_words.ts'
import { de } from '../../console/src/texts/de.ts'
import { refusalText } from '../../console/src/verify/refusal_text.ts'
import { knownFunctions } from '../../src/contract/explanation/signing/ethereum/known_functions.ts'
import { type ExplanationTexts, englishTexts } from '../../src/contract/explanation/texts/label_texts.ts'
import { operations } from '../../src/operations/catalogue.ts'
import { expectedForms } from '../../src/policy/language/time/cron_span.ts'
import { accountStates } from '../../src/policy/transactions/solana/extension_forms.ts'
import { authorityTypes, stakeAuthorities } from '../../src/policy/transactions/solana/instruction_forms.ts'
import { batchForm, builtInPrograms } from '../../src/policy/transactions/solana/read_instruction.ts'

import { tronContractFields } from '../../src/policy/transactions/tron/tron_transaction.ts'
import { repositoryFolder } from '../support/running_server.ts'

const { labels } = de.meaning.explanation
const addTo = 'add each to a file of console/src/texts/de/operations'

test('every activity and every word with an English text of its own has a German one', () => {
  const names = operations.flatMap(({ kind, name }) => (kind === 'activity' ? [name] : []))
  const missing = [...names, ...Object.keys(englishTexts.labels)].filter((code) => !Object.hasOwn(labels, code))
  expect(missing, addTo).toEqual([])
})

test('every parameter of an activity has a German name', () => {
  const fields = operations.flatMap((operation) =>
    operation.kind === 'activity' ? namesIn(JSON.parse(JSON.stringify(operation.types[0]?.parameters ?? {}))) : [],
  )
  expect(
    [...new Set(fields)].filter((name) => !Object.hasOwn(labels, name)),
    addTo,
  ).toEqual([])
})

test('no activity and no parameter has a German name twice', () => {
  const names = [operationsOfKeys, operationsOfOrganization, operationsOfPeople].flatMap((one) => Object.keys(one))
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('every value of an enum that a signing request shows has a German word', () => {
  const schemas = operations.flatMap((operation) =>
    operation.kind === 'activity' && operation.name.startsWith('sign_')
      ? operation.types.map(({ parameters }) => parameters)
      : [],
  )
  const instructions = [batchForm, ...[...builtInPrograms.values()].flatMap(({ forms }) => forms)]
  const ofSolana = instructions.flatMap(({ code, fields, roles }) => [code, ...Object.keys(fields), ...roles])
  const programs = [...builtInPrograms.values()].map(({ name }) => name)
  const shown = [
    ...schemas.flatMap(enumsIn),
    ...programs,
    ...ofSolana,
    ...authorityTypes,
    ...stakeAuthorities,
    ...accountStates,
    ...tronContractFields.keys(),
    ...[...knownFunctions.values()].map(({ name }) => name),
  ]
  expect(new Set(shown).size).toBeGreaterThan(40)
  expect([...new Set(shown)].filter((code) => !Object.hasOwn(labels, code))).toEqual([])
})

test('no word of functions and none of Solana takes the place of another one', () => {
  const lists = [functionWords, solanaWords, meaningLabels, operationNames]
  for (const words of [functionWords, solanaWords]) {
    const others = lists.filter((one) => one !== words)
    const taken = Object.entries(words).filter(([code, word]) =>
      others.some((one) => Object.hasOwn(one, code) && one[code] !== word),
    )
    expect(taken).toEqual([])
  }
  for (const [code, word] of Object.entries({ ...functionWords, ...solanaWords })) expect(labels[code]).toBe(word)
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

test('a German title or note has the values of the English one', () => {
  const sentencesOf = ({ titles, notes, warned }: ExplanationTexts) => ({ ...titles, ...notes, ...warned })
  const inGerman = Object.entries(sentencesOf(de.meaning.explanation))
  for (const [code, text] of Object.entries(sentencesOf(englishTexts))) {
    const german = inGerman.find(([key]) => key === code)?.[1] ?? ''
    expect(german.match(/\{[0-9]\}/g)?.toSorted(), code).toEqual(text.match(/\{[0-9]\}/g)?.toSorted())
  }
})

test('every message about a mistake in an expression has a German one with the same values', () => {
  const templates = problemTemplates()
  expect(Object.keys(expressionProblems).toSorted()).toEqual(templates)
  for (const [english, german] of Object.entries(expressionProblems)) {
    expect(german.match(/\{[0-9]\}/g)?.toSorted(), english).toEqual(english.match(/\{[0-9]\}/g)?.toSorted())
  }
})

test('every word that the code of explanations says has a German one', () => {
  const sources = globSync('src/{contract,operations,vault}/**/*.ts', { cwd: repositoryFolder }).filter(
    (file) => !file.endsWith('.test.ts'),
  )
  const words = sources.flatMap((file) =>
    [...readFileSync(join(repositoryFolder, file), 'utf8').matchAll(/\bcode\('(\w+)'\)/g)].map(([, word = '']) => word),
  )
  expect(words).toContain('inputs')
  expect([...new Set(words)].filter((word) => !Object.hasOwn(labels, word))).toEqual([])
})

test('every refusal of the page that verifies proofs has a German one with the same values', () => {
  const files = readersOf('activity_proof.ts')
  const english = files.flatMap((file) => refusalsIn(sourceOf(join('src/protocol/log', file))))
  expect(Object.keys(refusals).toSorted()).toEqual([...new Set(english)].toSorted())
  for (const [text, german] of Object.entries(refusals)) {
    expect(german.match(/\{[0-9]\}/g)?.toSorted(), text).toEqual(text.match(/\{[0-9]\}/g)?.toSorted())
  }
})

test.for([
  ['the log has not signed', 'das Log hat nicht unterschrieben'],
  ['there are more than 64 signatures', 'es sind mehr als 64 Unterschriften'],
  ['a signature of a {0}+ff+00 is wrong', 'eine Unterschrift von a {0}+ff+00 ist falsch'],
  ['a signature of constructor+00 is wrong', 'eine Unterschrift von constructor+00 ist falsch'],
  ['line 3: a hash has 32 bytes', 'Zeile 3: ein Hash hat 32 Bytes'],
  [
    'line 1: a line begins with log, witness, group, quorum or #: did you mean log?',
    'Zeile 1: eine Zeile beginnt mit log, witness, group, quorum oder #: Meinten Sie log?',
  ],
] as const)('the refusal “%s” is in German: %s', ([english, german]) => {
  expect(refusalText(english, refusals)).toBe(german)
})

/** A file of the formats of the log, and all that it imports of them. */
function readersOf(file: string, known: readonly string[] = []): readonly string[] {
  if (known.includes(file)) return known
  const imported = readFileSync(join(repositoryFolder, 'src/protocol/log', file), 'utf8').matchAll(
    / from '(\.[\w./]+\.ts)'/g,
  )
  const ofLog = [...imported].map(([, to = '']) => join(dirname(file), to)).filter((to) => !to.startsWith('..'))
  return ofLog.reduce<readonly string[]>((all, next) => readersOf(next, all), [...known, file])
}

/** The English templates of refusals: what is malformed, and the reasons that are written out. */
function refusalsIn(node: ts.Node): readonly string[] {
  const inside: string[] = []
  ts.forEachChild(node, (child) => {
    inside.push(...refusalsIn(child))
  })
  const text =
    ts.isNewExpression(node) && isNamed(node.expression, 'Malformed')
      ? node.arguments?.[0]
      : ts.isPropertyAssignment(node) && isNamed(node.name, 'reason')
        ? node.initializer
        : undefined
  return text === undefined ? inside : [...templateOf(text), ...inside]
}

/** The English templates, from where they stand in the code: tagged as messages, or the names of structs. */
function problemTemplates(): readonly string[] {
  const sources = globSync('{src/policy/language,console/src/editor}/**/*.{ts,tsx}', { cwd: repositoryFolder })
  const found = sources.flatMap((file) => (file.endsWith('.test.ts') ? [] : templatesIn(sourceOf(file))))
  return [...new Set([...found, ...Object.values(expectedForms)])].toSorted()
}

function templatesIn(node: ts.Node): readonly string[] {
  const inside: string[] = []
  ts.forEachChild(node, (child) => {
    inside.push(...templatesIn(child))
  })
  return [...templatesAt(node), ...inside]
}

function templatesAt(node: ts.Node): readonly string[] {
  if (ts.isTaggedTemplateExpression(node) && isNamed(node.tag, 'message')) {
    return templateOf(node.template)
  }
  const [name] = ts.isCallExpression(node) && isNamed(node.expression, 'struct') ? node.arguments : []
  return name !== undefined && ts.isStringLiteral(name) ? [name.text] : []
}

/** The template that a literal is. Another expression is none. */
function templateOf(node: ts.Node): readonly string[] {
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (!ts.isTemplateExpression(node)) return []
  const parts = node.templateSpans.map(({ literal }, index) => `{${index}}${literal.text}`)
  return [node.head.text + parts.join('')]
}

function sourceOf(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(join(repositoryFolder, file), 'utf8'), ts.ScriptTarget.Latest)
}

function isNamed(node: ts.Node, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name
}

test.for([
  ['eth.tx.value = 5', 'Gefunden: "="; verglichen wird mit =='],
  ['eth.tx.value and true', 'Erwartet: ein Operator oder das Ende, gefunden: „and“; schreiben Sie &&'],
  ["eth.tx.value == '5'", 'Erwartet: ein „integer“, gefunden: ein „string“; schreiben Sie 5 ohne Anführungszeichen'],
  [
    'eth.tx == 5',
    'Erwartet: ein „string“, ein „integer“, ein „boolean“ oder ein „timestamp“ zum Vergleichen, gefunden: eine Ethereum-Transaktion',
  ],
  ['eth.tx.vale == 5', '„eth.tx“ hat kein Feld „vale“; meinten Sie „value“?'],
  [
    "[1].any('a list', true)",
    'Erwartet: ein Name für die Elemente, wie in any(item, item == 1), gefunden: ein „string“',
  ],
  ["activity.action == 'a list {0}'", /^„activity.action“ ist nie 'a list \{0\}'; möglich sind CREATE, /],
  [
    "spent('eth.tx.value', 'day') < 1",
    "Erwartet: ganze Tage, Stunden und Minuten, zusammen höchstens 7 Tage, etwa '8h', '90m' oder '1d12h'",
  ],
] as const)('in German, %s has the message: %s', ([text, german]) => {
  const { message } = problemIn(text, { kind: 'condition' }, de.policies.editor.phrases) ?? {}
  expect(message).toEqual(typeof german === 'string' ? german : expect.stringMatching(german))
})
