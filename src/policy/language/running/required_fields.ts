import { onceFor } from '../../../protocol/tools/once_for.ts'
import { isStruct, type Struct, valueAt } from '../expression_values.ts'
import { type Expression, partsOf } from '../syntax.ts'
import { isNothing, isUnreadable } from './unreadable.ts'

/** A keyword and fields after it: `['eth', 'tx', 'to']`. */
type Path = readonly string[]
/** `start` is an offset in the text. */
type Read = { readonly path: Path; readonly start: number }

/**
 * Returns the fields that an expression reads in every case, each once. Nothing is skipped, so these are all of its fields
 * except those in the body of a predicate, which an empty list never evaluates.
 */
export const requiredFields = onceFor((expression: Expression): readonly Path[] => {
  const path = pathOf(expression)
  if (path !== undefined) return [path]
  const fields = certainParts(expression).flatMap(requiredFields)
  return fields.length < 2 ? fields : [...new Map(fields.map((field) => [field.join('.'), field])).values()]
})

/** The same with the places in the text, each place for itself. */
export function requiredReads(expression: Expression): readonly Read[] {
  const path = pathOf(expression)
  if (path !== undefined) return [{ path, start: expression.start }]
  return certainParts(expression).flatMap(requiredReads)
}

/** The parts that are evaluated in every case. */
export function certainParts(expression: Expression): readonly Expression[] {
  return expression.kind === 'predicate' ? [expression.of] : partsOf(expression)
}

/**
 * The fields without which a rule that guards is never true. One operand of `||` and one item of a list are enough for
 * it, and so is one operand of `&&` that is false within `!`. `wanted` is the value that makes the rule true.
 */
export function fieldsToGuard(expression: Expression, wanted?: 'true' | 'false'): readonly Path[] {
  const path = pathOf(expression)
  if (path !== undefined) return [path]
  switch (expression.kind) {
    case 'not':
      return fieldsToGuard(expression.operand, wanted && (wanted === 'true' ? 'false' : 'true'))
    case 'and':
    case 'or':
      if (wanted !== (expression.kind === 'and' ? 'true' : 'false')) return []
      return expression.operands.flatMap((operand) => fieldsToGuard(operand, wanted))
    case 'list':
      return []
    case 'sum':
      // A term may be missing beside another one, where its struct is there.
      return expression.operands.flatMap((operand) => fieldsToGuard(operand).map(parentOf))
    case 'predicate':
      return fieldsToGuard(expression.of)
    default:
      return partsOf(expression).flatMap((part) => fieldsToGuard(part))
  }
}

/**
 * Whether the request lacks one of the fields, which makes the expression an error. Most policies are about other
 * requests, and this check is quicker than throwing and catching.
 */
export function lacksField(keywords: Struct, required: readonly Path[]): boolean {
  return required.some((path) => valueAt(keywords, path) === undefined && !hasAnswerAt(keywords, path))
}

/**
 * An expression about what cannot be read, or is nothing, is an error too. In a rule that guards, it may be true all the
 * same.
 */
function hasAnswerAt(keywords: Struct, path: Path): boolean {
  const parent = valueAt(keywords, path.slice(0, -1))
  const name = path.at(-1) ?? ''
  return parent !== undefined && isStruct(parent) && (isUnreadable(parent, name) || isNothing(parent, name))
}

function parentOf(path: Path): Path {
  return path.length < 2 ? path : path.slice(0, -1)
}

/** The keyword or variable with the fields after it. Undefined if an expression is more than these. */
export function pathOf(expression: Expression): Path | undefined {
  if (expression.kind === 'name') return [expression.name]
  if (expression.kind !== 'field') return undefined
  const before = pathOf(expression.of)
  return before && [...before, expression.name]
}

/** The name that an expression begins with. */
export function rootOf(expression: Expression): string | undefined {
  if (expression.kind === 'name') return expression.name
  return expression.kind === 'field' || expression.kind === 'index' ? rootOf(expression.of) : undefined
}
