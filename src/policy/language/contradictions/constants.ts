import { constantOf } from '../names/pieces.ts'
import { printAlike } from '../reading/print.ts'
import type { Expression } from '../syntax.ts'
import { both, isNone, textsAmong } from './possible_values.ts'

/** The value of what names nothing, or has none but an empty list to look at. Undefined for everything else. */
export function constantTruth(expression: Expression): boolean | undefined {
  switch (expression.kind) {
    case 'boolean':
      return expression.value
    case 'contains':
      return isAmong(expression.item, expression.of)
    case 'comparison':
      return comparedConstants(expression)
    case 'predicate':
      if (expression.of.kind !== 'list' || expression.of.items.length > 0) return undefined
      return expression.method === 'filter' ? undefined : expression.method === 'all'
    default:
      return undefined
  }
}

function comparedConstants({ operator, left, right }: Expression & { readonly kind: 'comparison' }) {
  switch (operator) {
    case 'in':
      return isAmong(left, right)
    case '==':
      return areEqual(left, right)
    case '!=': {
      const truth = areEqual(left, right)
      return truth === undefined ? undefined : !truth
    }
    default: {
      const [one, other] = [numberOf(left), numberOf(right)]
      if (one === undefined || other === undefined) return undefined
      return { '<': one < other, '<=': one <= other, '>': one > other, '>=': one >= other }[operator]
    }
  }
}

/**
 * Whether a comparison of what both sides have is true, as `x != x` and `x + 1 < x` are not. Undefined if one side has
 * something that the other has not.
 */
export function comparedWithItself(expression: Expression): boolean | undefined {
  if (expression.kind !== 'comparison' || expression.operator === 'in') return undefined
  const { operator } = expression
  const [left, right] = [termsOf(expression.left), termsOf(expression.right)]
  if (left.read.length === 0 || left.read.join('\n') !== right.read.join('\n')) return undefined
  const [one, other] = [left.written, right.written]
  if (operator === '==' || operator === '!=') return (one === other) === (operator === '==')
  return { '<': one < other, '<=': one <= other, '>': one > other, '>=': one >= other }[operator]
}

/** The operands of a sum that are read, in an order of their own, and the sum of those that are written. */
function termsOf(expression: Expression): { readonly read: readonly string[]; readonly written: bigint } {
  const terms = expression.kind === 'sum' ? expression.operands : [expression]
  const read = terms.filter((term) => numberOf(term) === undefined).map(printAlike)
  return { read: read.toSorted(), written: terms.reduce((sum, term) => sum + (numberOf(term) ?? 0n), 0n) }
}

function isAmong(item: Expression, list: Expression): boolean | undefined {
  if (list.kind !== 'list') return undefined
  if (list.items.length === 0) return false
  const truths = list.items.map((one) => areEqual(item, one))
  return truths.every((truth) => truth !== undefined) && isWritten(item) ? truths.includes(true) : undefined
}

function areEqual(left: Expression, right: Expression): boolean | undefined {
  const [one, other] = [numberOf(left), numberOf(right)]
  if (one !== undefined && other !== undefined) return one === other
  if (left.kind === 'boolean' && right.kind === 'boolean') return left.value === right.value
  if (left.kind !== 'string' || right.kind !== 'string') return undefined
  return !isNone(both(textsAmong([left.value]), textsAmong([right.value])))
}

function isWritten(expression: Expression): boolean {
  return expression.kind === 'string' || expression.kind === 'boolean' || numberOf(expression) !== undefined
}

export function numberOf(expression: Expression): bigint | undefined {
  return expression.kind === 'timestamp' ? expression.timeMs : constantOf(expression)
}
