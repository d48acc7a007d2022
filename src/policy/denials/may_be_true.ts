import { constantOf } from '../language/names/pieces.ts'
import { type Expression, partsOf } from '../language/syntax.ts'
import {
  certainReads,
  isAbsent,
  isAmong,
  isOfPresent,
  knownValue,
  noVariables,
  type Path,
  pathOf,
  sumsIn,
  type Variables,
  variablesIn,
} from './reads.ts'
import type { Shape } from './signing_requests.ts'

/**
 * Whether some request of this shape may make an expression true, though it reads fields that the shape does not have:
 * another operand of `&&` and `||` may decide.
 */
export function mayBeTrue(expression: Expression, shape: Shape): boolean {
  const asked = { shape, outcomes: new Map(), empty: new Map(), none: new Map(), absent: new Map() }
  return outcomesOf(expression, asked, noVariables).true
}

/** The values that requests of a shape may give an expression. Both are the same for one that has a value and no truth. */
type Outcomes = { readonly [Value in 'true' | 'false']: boolean }

const anything: Outcomes = { true: true, false: true }
const nothing: Outcomes = { true: false, false: false }
const onlyTrue: Outcomes = { true: true, false: false }
const onlyFalse: Outcomes = { true: false, false: true }

/** The findings about the parts of one expression. Each part is judged once, however many parts around it ask. */
type Judging = {
  readonly shape: Shape
  readonly outcomes: Map<Expression, Outcomes>
  readonly empty: Map<Expression, boolean>
  readonly none: Map<Expression, boolean>
  readonly absent: Map<Path, boolean>
}

function once<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const before = known.get(key)
  if (before !== undefined) return before
  const made = make()
  known.set(key, made)
  return made
}

function outcomesOf(expression: Expression, asked: Judging, variables: Variables): Outcomes {
  return once(asked.outcomes, expression, () => judged(expression, asked, variables))
}

function judged(expression: Expression, asked: Judging, variables: Variables): Outcomes {
  const { shape } = asked
  const known = isTruth(expression) ? knownValue(expression, shape) : undefined
  if (known !== undefined) return known ? onlyTrue : onlyFalse
  const lacksSum = !shape.spends && sumsIn(expression).length > 0
  const isMissing = (path: Path) => once(asked.absent, path, () => isAbsent(path, shape))
  if (!lacksSum && !certainReads(expression, variables).some(isMissing)) return anything
  const outcomes = (part: Expression) => outcomesOf(part, asked, variables)
  const hasValue = (part: Expression) => outcomes(part).true || (isTruth(part) && outcomes(part).false)
  const ofValues = (parts: readonly Expression[]) => (parts.every(hasValue) ? anything : nothing)
  const isNone = (part: Expression) => readsNone(part, asked, variables)
  switch (expression.kind) {
    case 'not': {
      const operand = outcomes(expression.operand)
      return { true: operand.false, false: operand.true }
    }
    case 'and':
    case 'or': {
      const all = expression.operands.map(outcomes)
      return expression.kind === 'or'
        ? { true: all.some((one) => one.true), false: all.every((one) => one.false) }
        : { true: all.every((one) => one.true), false: all.some((one) => one.false) }
    }
    case 'list':
      return expression.items.some((item) => hasValue(item) || isNone(item)) ? anything : nothing
    case 'sum': {
      const isZero = (operand: Expression) => isOfPresent(pathOf(operand, variables), shape) ?? isNone(operand)
      return maySum(expression.operands, { mayExist: hasValue, isZero }) ? anything : nothing
    }
    case 'comparison': {
      const isOfNone = comparedCounts(expression, asked, variables)
      if (isOfNone !== undefined) return isOfNone ? onlyTrue : onlyFalse
      const parts = partsOf(expression)
      return parts.some(isNone) ? (expression.operator === '!=' ? onlyTrue : onlyFalse) : ofValues(parts)
    }
    case 'contains':
      return partsOf(expression).some(isNone) ? onlyFalse : ofValues(partsOf(expression))
    case 'predicate': {
      const { of, method, body } = expression
      if (method !== 'filter' && isNone(of)) return onlyFalse
      if (!hasValue(of)) return nothing
      if (method === 'filter') return anything
      if (isEmpty(of, asked, variables)) return method === 'all' ? onlyTrue : onlyFalse
      const ofItem = outcomesOf(body, asked, variablesIn(expression, variables))
      // The test of an item that lacks a field is false, and a list may be empty unless it is written.
      return { true: ofItem.true, false: ofItem.false || of.kind !== 'list' }
    }
    default:
      if (expression.kind === 'spent' || pathOf(expression, variables) !== undefined) return nothing
      return isNone(expression) ? onlyFalse : ofValues(partsOf(expression))
  }
}

function isTruth(expression: Expression): boolean {
  if (expression.kind === 'predicate') return expression.method !== 'filter'
  return ['boolean', 'not', 'and', 'or', 'comparison', 'contains'].includes(expression.kind)
}

/** Whether a list is empty for each request of this shape, because no item gets through its filter. */
function isEmpty(list: Expression, asked: Judging, variables: Variables): boolean {
  return once(asked.empty, list, () => {
    if (list.kind === 'slice') return isEmpty(list.of, asked, variables)
    if (list.kind !== 'predicate' || list.method !== 'filter') return false
    return !letsThrough(list, asked, variables) || isEmpty(list.of, asked, variables)
  })
}

/** Whether an item may get through a filter. */
function letsThrough(
  filter: Expression & { readonly kind: 'predicate' },
  asked: Judging,
  variables: Variables,
): boolean {
  return outcomesOf(filter.body, asked, variablesIn(filter, variables)).true
}

/** Whether an expression reads an item of a list that is empty, or what is nothing. It equals nothing then. */
function readsNone(part: Expression, asked: Judging, variables: Variables): boolean {
  return once(asked.none, part, () => {
    const path = pathOf(part, variables)
    if (path !== undefined && isAmong(path, asked.shape.nothing)) return true
    switch (part.kind) {
      case 'index':
        return isEmpty(part.of, asked, variables) || readsNone(part.of, asked, variables)
      case 'field':
      case 'slice':
        return readsNone(part.of, asked, variables)
      case 'sum': {
        const read = part.operands.filter((operand) => constantOf(operand) === undefined)
        return read.length > 0 && read.every((operand) => readsNone(operand, asked, variables))
      }
      default:
        return false
    }
  })
}

/** A term of a struct that is there counts as 0 where it does not exist itself. One term has to exist. */
function maySum(
  operands: readonly Expression[],
  { mayExist, isZero }: Readonly<Record<'mayExist' | 'isZero', (operand: Expression) => boolean>>,
): boolean {
  return (
    operands.every((operand) => mayExist(operand) || isZero(operand)) &&
    operands.some((operand) => constantOf(operand) === undefined && mayExist(operand))
  )
}

/** The value of a comparison with the count of a filter through which no item of such a request gets. */
function comparedCounts(
  { operator, left, right }: Expression & { readonly kind: 'comparison' },
  asked: Judging,
  variables: Variables,
): boolean | undefined {
  const countOf = (part: Expression) => {
    const { kind } = part
    if (kind !== 'count') return constantOf(part)
    const { of } = part
    if (of.kind !== 'predicate' || of.method !== 'filter') return undefined
    return letsThrough(of, asked, variables) ? undefined : 0n
  }
  const [one, other] = [countOf(left), countOf(right)]
  if (one === undefined || other === undefined) return undefined
  const ordered = { '<': one < other, '<=': one <= other, '>': one > other, '>=': one >= other }
  if (operator === 'in') return undefined
  return operator === '==' || operator === '!=' ? (one === other) === (operator === '==') : ordered[operator]
}
