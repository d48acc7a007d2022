import { type Expression, partsOf } from './syntax.ts'
import { type Struct, valueAt } from './values.ts'

/** A keyword and fields after it: `['eth', 'tx', 'to']`. */
type Path = readonly string[]

/**
 * Returns the fields that an expression reads in every case. Nothing is skipped, so these are all of its fields except
 * those in the body of a predicate, which an empty list never evaluates.
 */
export function requiredFields(expression: Expression): readonly Path[] {
  const path = pathOf(expression)
  if (path !== undefined) return [path]
  const parts = expression.kind === 'predicate' ? [expression.of] : partsOf(expression)
  return parts.flatMap(requiredFields)
}

/**
 * Whether one of the fields is missing, which makes the expression an error. Most policies are about other requests,
 * and this check is quicker than throwing and catching.
 */
export function lacksField(keywords: Struct, required: readonly Path[]): boolean {
  return required.some((path) => valueAt(keywords, path) === undefined)
}

function pathOf(expression: Expression): Path | undefined {
  if (expression.kind === 'name') return [expression.name]
  if (expression.kind !== 'field') return undefined
  const before = pathOf(expression.of)
  return before && [...before, expression.name]
}
