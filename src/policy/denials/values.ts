import { payloads } from '../language/names/payload_types.ts'
import { constantOf } from '../language/names/pieces.ts'
import { type Expression, partsOf } from '../language/syntax.ts'
import {
  certainReads,
  isAbsent,
  isAmong,
  isAt,
  isOfPresent,
  knownValue,
  noVariables,
  type Path,
  pathOf,
  sumsIn,
  type Variables,
  variablesIn,
} from './reads.ts'
import { type Shape, velocityControls } from './signing_requests.ts'

/** The keywords of what is signed. */
export const contentKeywords: readonly string[] = Object.keys(payloads)

/**
 * The value of an expression for every request of this shape, as its author means it. Undefined if that is not certain.
 * Nothing equals a thing that does not exist: a request that is signed by a private key is not about the wallet of
 * `wallet.id == '…'`, though the evaluation ends with an error.
 */
export function meantValue(expression: Expression, shape: Shape, variables: Variables = noVariables): Truth {
  const isNothing = (part: Expression) => standsForNothing(part, shape, variables)
  switch (expression.kind) {
    case 'not':
      return negated(meantValue(expression.operand, shape, variables))
    case 'and':
    case 'or':
      return joined(
        expression.kind,
        expression.operands.map((operand) => meantValue(operand, shape, variables)),
      )
  }
  const known = knownValue(expression, shape)
  if (known !== undefined) return known
  switch (expression.kind) {
    case 'comparison': {
      if (!isNothing(expression.left) && !isNothing(expression.right)) return undefined
      const { operator } = expression
      return operator === '!=' ? true : operator === '==' || operator === 'in' ? false : undefined
    }
    case 'contains':
      return isNothing(expression.of) || isNothing(expression.item) ? false : undefined
    case 'predicate': {
      if (expression.method !== 'any') return undefined
      const isNever = meantValue(expression.body, shape, variablesIn(expression, variables)) === false
      return isNever || isNothing(expression.of) ? false : undefined
    }
    default:
      return isNothing(expression) ? false : undefined
  }
}

/** Whether an expression reads a thing that does not exist, rather than one that cannot be seen. */
function standsForNothing(expression: Expression, shape: Shape, variables: Variables): boolean {
  const path = pathOf(expression, variables)
  return path !== undefined && isNothingAt(path, shape)
}

function isNothingAt(path: Path, shape: Shape): boolean {
  if (isAmong(path, shape.lacks)) return true
  return !contentKeywords.some((keyword) => isAt(path, keyword)) && isAbsent(path, shape)
}

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
): Truth {
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

type Truth = boolean | undefined

function negated(value: Truth): Truth {
  return value === undefined ? undefined : !value
}

function joined(kind: 'and' | 'or', values: readonly Truth[]): Truth {
  const decisive = kind === 'or'
  if (values.includes(decisive)) return decisive
  return values.includes(undefined) ? undefined : !decisive
}

/**
 * Whether an expression has a value for every request of this shape, within few steps: it compares fields that such a
 * request always has with written values. `uncertain` are fields that some of the requests lack.
 */
export function isPlain(expression: Expression, shape: Shape, uncertain: readonly Path[]): boolean {
  const isPlainPart = (part: Expression) => isPlain(part, shape, uncertain)
  switch (expression.kind) {
    case 'boolean':
      return true
    case 'not':
      return isPlainPart(expression.operand)
    case 'and':
    case 'or':
      return expression.operands.every(isPlainPart)
    case 'comparison': {
      const { operator, left, right } = expression
      if (operator === 'in') return isWritten(left) ? isListField(right) : isField(left) && isWritten(right)
      return isWritten(left) ? isField(right) : isField(left) && isWritten(right)
    }
    case 'contains':
      return isWritten(expression.item)
        ? isListField(expression.of)
        : isField(expression.item) && isWritten(expression.of)
    default:
      return isField(expression)
  }

  function isField(part: Expression): boolean {
    const path = plainPath(part)
    return path !== undefined && !isAbsent(path, shape) && !isAmong(path, [...uncertain, velocityControls])
  }

  /** A list of what is signed may be long. */
  function isListField(part: Expression): boolean {
    return isField(part) && !contentKeywords.some((keyword) => isAt(plainPath(part) ?? '', keyword))
  }
}

/** The path of a field that dots reach. */
function plainPath(expression: Expression): Path | undefined {
  const path = pathOf(expression, noVariables)
  return path?.includes('[') ? undefined : path
}

function isWritten(expression: Expression): boolean {
  const { kind } = expression
  return kind === 'list' ? expression.items.every(isWritten) : ['string', 'integer', 'boolean'].includes(kind)
}
