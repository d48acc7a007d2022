import { type Expression, partsOf } from './syntax.ts'
import { type Struct, valueAt } from './values.ts'

/** A keyword and fields after it: `['eth', 'tx', 'to']`. */
type Path = readonly string[]

/**
 * What an expression reads whatever the rest of it comes to: all that stands in it, since nothing is skipped, but for
 * the body of a predicate, which an empty list never comes to.
 */
export function requiredFields(expression: Expression): readonly Path[] {
  const path = pathOf(expression)
  if (path !== undefined) return [path]
  const parts = expression.kind === 'predicate' ? [expression.of] : partsOf(expression)
  return parts.flatMap(requiredFields)
}

/**
 * Whether one of them is missing, so that the expression cannot be but an error. Most policies are about other requests
 * than the one at hand: to know it from this is quicker than to throw and catch.
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
