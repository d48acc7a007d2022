import { print } from '../reading/print.ts'
import type { Expression } from '../syntax.ts'
import { mayBeOpen } from '../time/week.ts'

/** More parts are not judged: each doubles the ways. */
const partsMax = 6

type Part = Exclude<Expression, { readonly kind: 'and' | 'or' | 'not' | 'boolean' }>
type Truths = ReadonlyMap<string, boolean>

/**
 * Whether no truths of its parts make an expression true: a part and its opposite are never true together, and neither
 * are windows of `CronSpan` in one zone that do not meet in any week. Parts are the same if they are written alike.
 */
export function hasNoWay(expression: Expression): boolean {
  const parts = new Map(partsOfWhole(expression).map((part) => [print(part), part]))
  if (parts.size > partsMax) return false
  return !waysOf([...parts.keys()]).some((truths) => isSo(expression, truths) && isPossible(parts, truths))
}

function partsOfWhole(expression: Expression): readonly Part[] {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return expression.operands.flatMap(partsOfWhole)
    case 'not':
      return partsOfWhole(expression.operand)
    case 'boolean':
      return []
    default:
      return [expression]
  }
}

function waysOf(names: readonly string[]): readonly Truths[] {
  return Array.from({ length: 2 ** names.length }, (_, way) => {
    return new Map(names.map((name, index) => [name, Math.floor(way / 2 ** index) % 2 === 1]))
  })
}

function isSo(expression: Expression, truths: Truths): boolean {
  switch (expression.kind) {
    case 'and':
      return expression.operands.every((operand) => isSo(operand, truths))
    case 'or':
      return expression.operands.some((operand) => isSo(operand, truths))
    case 'not':
      return !isSo(expression.operand, truths)
    case 'boolean':
      return expression.value
    default:
      return truths.get(print(expression)) === true
  }
}

function isPossible(parts: ReadonlyMap<string, Part>, truths: Truths): boolean {
  const spans = [...parts].flatMap(([name, part]) =>
    part.kind === 'cron_span' ? [{ span: part.span, isOpen: truths.get(name) === true }] : [],
  )
  return [...Map.groupBy(spans, ({ span }) => span.zone).values()].every(mayBeOpen)
}
