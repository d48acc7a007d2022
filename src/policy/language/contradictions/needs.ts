import { type WordField, wordFields } from '../names/activity_forms.ts'
import { withoutVersion } from '../names/activity_types.ts'
import { variants } from '../names/variants.ts'
import { print } from '../reading/print.ts'
import type { Expression } from '../syntax.ts'
import { partsOf } from '../syntax.ts'

type Word = { readonly value: string; readonly start: number }
/** `path`: a field from the keyword on, with `[…]` for an item of a list. `shown`: the field as the expression names it. */
type Place = { readonly path: string; readonly shown: string }
export type Words = Place & {
  /** The field if it is one of the activity, and not of a transaction. */
  readonly field: WordField | undefined
  readonly words: readonly [Word, ...Word[]]
}
export type Read = Place & { readonly start: number }
/** An operand of `&&` needs a field to be one of some words, or to exist. */
export type Need = Words | Read

export function isWords(need: Need): need is Words {
  return 'words' in need
}

/** The paths of the variables of the surrounding tests. Undefined where it is not known which items they are. */
export type Variables = ReadonlyMap<string, string | undefined>
export const noVariables: Variables = new Map()

type Operand = { readonly operand: Expression; readonly variables: Variables }
export type Test = Expression & { readonly kind: 'predicate' }

/**
 * The operands of an `&&`, and of those within it. `any` has an item for which its test is true, so the operands of the
 * test are among them.
 */
export function operandsOf(expression: Expression, variables: Variables): readonly Operand[] {
  if (expression.kind === 'and') return expression.operands.flatMap((operand) => operandsOf(operand, variables))
  if (expression.kind !== 'predicate' || expression.method !== 'any') return [{ operand: expression, variables }]
  const item = itemOf(expression, variables)
  return askedByTest(expression, item, variables).flatMap((asked) => operandsOf(asked.operand, asked.variables))
}

/** The list of a test, the bodies of the filters through which its item came, and that of the test. */
export function askedByTest(
  { of, variable, body }: Test,
  item: string | undefined,
  outer: Variables,
): readonly Operand[] {
  const before =
    of.kind === 'predicate' && of.method === 'filter'
      ? askedByTest(of, item, outer)
      : [{ operand: of, variables: outer }]
  return [...before, { operand: body, variables: new Map(outer).set(variable, item) }]
}

export function variablesIn(test: Test, variables: Variables): Variables {
  return new Map(variables).set(test.variable, itemOf(test, variables))
}

/** Each test has an item of its own. */
function itemOf({ of, start }: Test, variables: Variables): string | undefined {
  const list = listOf(of, variables)
  return list === undefined ? undefined : itemAt(list, `@${start}`)
}

/** The path of a list, also of a part of it. */
function listOf(list: Expression, variables: Variables): string | undefined {
  const isPart = list.kind === 'slice' || (list.kind === 'predicate' && list.method === 'filter')
  return isPart ? listOf(list.of, variables) : pathOf(list, variables)
}

const listsOfOne = new Set(['tron.tx.contract'])

function itemAt(list: string, at: string): string {
  return listsOfOne.has(list) ? list : `${list}[${at}]`
}

/** The path of a field. Undefined where it is not known of which item it is. */
export function pathOf(expression: Expression, variables: Variables): string | undefined {
  if (expression.kind === 'name')
    return variables.has(expression.name) ? variables.get(expression.name) : expression.name
  if (expression.kind !== 'field' && expression.kind !== 'index') return undefined
  const of = pathOf(expression.of, variables)
  if (of === undefined) return undefined
  if (expression.kind === 'field') return `${of}.${expression.name}`
  const { index } = expression
  return index.kind === 'integer' ? itemAt(of, String(index.value)) : undefined
}

export function needsOf(operand: Expression, variables: Variables): readonly Need[] {
  const words = wordsOf(operand, variables)
  return words === undefined ? readsOf(operand, variables) : [words]
}

/** A field and the texts that are written for it. */
export type Written = Place & Pick<Words, 'words'>

const fieldsOfWords: ReadonlySet<string> = new Set([
  ...wordFields,
  ...variants.map(({ struct, by }) => `${struct}.${by}`),
])

/** The words for a field of an activity, or for one that says the variant of its struct. */
export function wordsOf(expression: Expression, variables: Variables): Words | undefined {
  const written = writtenFor(expression, variables)
  if (written === undefined || !fieldsOfWords.has(withoutItems(written.path))) return undefined
  const [word, ...others] = written.words
  const read = ({ value, start }: Word) => ({
    value: written.path === 'activity.type' ? withoutVersion(value) : value,
    start,
  })
  const field = wordFields.find((one) => one === written.path)
  return { ...written, field, words: [read(word), ...others.map(read)] }
}

/** The words in `field == 'word'`, `field in ['word']`, `['word'].contains(field)`, and in several about one field. */
export function writtenFor(expression: Expression, variables: Variables): Written | undefined {
  if (expression.kind === 'or') {
    const all = expression.operands.map((operand) => writtenFor(operand, variables))
    const [first] = all
    if (first === undefined || !all.every((one) => one?.path === first.path)) return undefined
    const [word, ...others] = all.flatMap((one) => one?.words ?? [])
    return word && { ...first, words: [word, ...others] }
  }
  if (expression.kind === 'contains') return named(expression.item, expression.of, variables)
  if (expression.kind !== 'comparison') return undefined
  const { operator, left, right } = expression
  if (operator === '==') return named(left, right, variables) ?? named(right, left, variables)
  return operator === 'in' ? named(left, right, variables) : undefined
}

function named(place: Expression, written: Expression, variables: Variables): Written | undefined {
  if (place.kind !== 'field') return undefined
  const path = pathOf(place, variables)
  const items = written.kind === 'list' ? written.items : [written]
  const [word, ...others] = items.flatMap((item) => (item.kind === 'string' ? [item] : []))
  if (path === undefined || word === undefined || others.length + 1 < items.length) return undefined
  return { path, shown: print(place), words: [word, ...others] }
}

/** The path with `[]` for each item. */
export function withoutItems(path: string): string {
  return path.replaceAll(/\[[^\]]*\]/g, '[]')
}

/** The field that requests have in which `spent` has a value: those that sign a transaction, of whichever chain. */
const fieldOfTransactions = 'activity.params.type'

/** The fields without which an operand has no value, also in a rule that guards. */
function readsOf(part: Expression, variables: Variables): readonly Read[] {
  if (part.kind === 'list' || part.kind === 'and' || part.kind === 'or') return []
  if (part.kind === 'predicate') return readsOf(part.of, variables)
  const path = pathOf(part, variables)
  if (path !== undefined) return [{ path, shown: print(part), start: part.start }]
  if (part.kind === 'spent') return [{ path: fieldOfTransactions, shown: print(part), start: part.start }]
  if (part.kind !== 'sum') return partsOf(part).flatMap((inner) => readsOf(inner, variables))
  // In a sum of a rule that guards, a field that an item lacks counts as 0, and so does `spent` where nothing is spent.
  const terms = partsOf(part).filter(({ kind }) => kind !== 'spent')
  return terms.flatMap((inner) => readsOf(inner, variables)).filter(({ path: read }) => !isOfItem(read))
}

function isOfItem(path: string): boolean {
  return path.includes('[') || [...listsOfOne].some((list) => path.startsWith(`${list}.`))
}
