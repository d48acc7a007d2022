import { onceFor } from '../../protocol/tools/once_for.ts'
import type { Struct } from '../language/expression_values.ts'
import { keywords } from '../language/names/keywords.ts'
import { payloads } from '../language/names/payload_types.ts'
import { print } from '../language/reading/print.ts'
import { evaluate } from '../language/running/evaluate.ts'
import { certainParts, lacksField, requiredFields } from '../language/running/required_fields.ts'
import { type Expression, partsOf } from '../language/syntax.ts'
import type { Shape } from './signing_requests.ts'

/**
 * A field that an expression reads, from the keyword on. `[*]` is each item of a list, in a test over the list; `[0]` is
 * an item with a written index and `[i]` one with another; `['key']` is the value of a map.
 */
export type Path = string

/** The paths of the variables of the surrounding tests. Undefined where it is not known which items they are. */
export type Variables = ReadonlyMap<string, Path | undefined>

export const noVariables: Variables = new Map()

/** The path of an expression that only reads. Undefined for all others. */
export function pathOf(expression: Expression, variables: Variables): Path | undefined {
  if (expression.kind === 'name') {
    return variables.has(expression.name) ? variables.get(expression.name) : expression.name
  }
  if (expression.kind !== 'field' && expression.kind !== 'index') return undefined
  const of = pathOf(expression.of, variables)
  if (of === undefined) return undefined
  if (expression.kind === 'field') return `${of}.${expression.name}`
  const { index } = expression
  if (index.kind === 'string') return `${of}['${index.value}']`
  return index.kind === 'integer' ? `${of}[${index.value}]` : `${of}[i]`
}

/** The path of a list, also of a part of it. */
function listPathOf(list: Expression, variables: Variables): Path | undefined {
  const isPart = list.kind === 'slice' || (list.kind === 'predicate' && list.method === 'filter')
  return isPart ? listPathOf(list.of, variables) : pathOf(list, variables)
}

/** The variables within a test. */
export function variablesIn(predicate: Expression & { readonly kind: 'predicate' }, variables: Variables): Variables {
  const list = listPathOf(predicate.of, variables)
  return new Map(variables).set(predicate.variable, list === undefined ? undefined : `${list}[*]`)
}

/**
 * The fields that an expression reads in every case. Nothing is skipped, so these are all but those in tests over lists
 * that may be empty. A test reads the fields of its own item of every item that there is. They are kept for each part,
 * which stands in one place only and so has the same variables every time: the parts around it are asked as well.
 */
export function certainReads(expression: Expression, variables: Variables = noVariables): readonly Path[] {
  const known = readsOf.get(expression) ?? [...new Set(findReads(expression, variables))]
  readsOf.set(expression, known)
  return known
}

const readsOf = new WeakMap<Expression, readonly Path[]>()

function findReads(expression: Expression, variables: Variables): readonly Path[] {
  const path = pathOf(expression, variables)
  if (path !== undefined) return [path, ...indexesIn(expression).flatMap((index) => certainReads(index, variables))]
  if (expression.kind !== 'predicate') return partsOf(expression).flatMap((part) => certainReads(part, variables))
  const { of, variable, body } = expression
  const inner = variablesIn(expression, variables)
  const item = inner.get(variable)
  const isNeverEmpty = of.kind === 'list' && of.items.length > 0
  const read = certainReads(body, inner)
  const certain = isNeverEmpty ? read : read.filter((one) => item !== undefined && one.startsWith(item))
  return [...certainReads(of, variables), ...certain]
}

/** The keywords of what is signed. */
export const contentKeywords: readonly string[] = Object.keys(payloads)

/** Every keyword that an expression names, and of a part of a test the variables of the tests around it. */
export const keywordsIn = onceFor((expression: Expression): readonly string[] => {
  if (expression.kind === 'name') return [expression.name]
  if (expression.kind === 'spent') return [expression.path.split('.')[0] ?? '']
  const named = [...new Set(partsOf(expression).flatMap(keywordsIn))]
  return expression.kind === 'predicate' ? named.filter((name) => name !== expression.variable) : named
})

/** The parts of an expression that certainly have no value for such a request, as people write them. */
export function unreadableIn(expression: Expression, shape: Shape): readonly string[] {
  const absent = certainReads(expression).filter((path) => isAbsent(path, shape))
  return [
    ...new Set([...absent.map((path) => path.replaceAll('[*]', '[]')), ...(shape.spends ? [] : sumsIn(expression))]),
  ]
}

/** The sums that an expression needs in every case, as people write them. */
export const sumsIn = onceFor((expression: Expression): readonly string[] => {
  if (expression.kind === 'spent') return [print(expression)]
  return [...new Set(certainParts(expression).flatMap(sumsIn))]
})

/** Whether such a request certainly has nothing at a path. */
export function isAbsent(path: Path, { present, hides, lacks }: Shape): boolean {
  return isAmong(path, [...hides, ...lacks]) || !present.some((field) => isAt(path, field) || isAt(field, path))
}

/** Whether a field is one of an item, or of a struct that such a request has. Undefined if it is no field. */
export function isOfPresent(path: Path | undefined, shape: Shape): boolean | undefined {
  if (path === undefined) return undefined
  return path.includes('[') || !isAbsent(path.slice(0, Math.max(0, path.lastIndexOf('.'))), shape)
}

/** Whether one of the fields leads to a path. A shape has no field at `[i]` if no item of the list has it. */
export function isAmong(path: Path, fields: readonly Path[]): boolean {
  const anyItem = path.replaceAll(/\[\d+\]/g, '[i]')
  return fields.some((field) => isAt(anyItem, field))
}

/** Whether a path is that of a field, or leads on from it. A field that ends in `['` stands for every key. */
export function isAt(path: Path, field: Path): boolean {
  return path.startsWith(field) && (field.endsWith("['") || ['', '.', '['].includes(path.charAt(field.length)))
}

/** Enough to look for a value in the longest written list. A condition may hold many expressions that take far more. */
const knownStepsMax = 2_000

/**
 * The value of an expression that names nothing but what such a request always has. Undefined also if it takes many
 * steps.
 */
export function knownValue(expression: Expression, { known }: Shape): boolean | undefined {
  if (lacksField(known, requiredFields(expression)) || hasFreeVariable(expression)) return undefined
  const remembered = costly.get(expression)?.get(known)
  if (remembered !== undefined) return remembered.value
  const meter = { steps: 0 }
  const evaluation = evaluate(expression, { keywords: known, stepsMax: knownStepsMax, guards: true, meter })
  const value = evaluation.kind === 'value' ? evaluation.value === true : undefined
  if (meter.steps > cheapSteps) {
    const values = costly.get(expression) ?? new Map<Struct, { readonly value: boolean | undefined }>()
    costly.set(expression, values.set(known, { value }))
  }
  return value
}

/** Every denial is compared with every other one, so what takes more steps is evaluated once. The rest takes less room. */
const cheapSteps = 50
const costly = new WeakMap<Expression, Map<Struct, { readonly value: boolean | undefined }>>()

/** A part of a test reads the variables of the tests around it, which have no value here. */
const hasFreeVariable = (expression: Expression) => keywordsIn(expression).some((name) => !keywords.condition.has(name))

function indexesIn(expression: Expression): readonly Expression[] {
  if (expression.kind === 'field') return indexesIn(expression.of)
  return expression.kind === 'index' ? [expression.index, ...indexesIn(expression.of)] : []
}
