import { payloads } from '../language/names/payload_types.ts'
import { constantOf } from '../language/pieces.ts'
import { type Expression, partsOf } from '../language/syntax.ts'
import {
  isAbsent,
  isAmong,
  isAt,
  knownValue,
  noVariables,
  type Path,
  pathOf,
  pathsOf,
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
 * Whether some request of this shape may give an expression a value, though it reads fields that the shape does not
 * have: another operand of `&&` and `||` may decide.
 */
export function mayBe(wanted: Wanted, expression: Expression, shape: Shape, variables = noVariables): boolean {
  const known = isTruth(expression) ? knownValue(expression, shape) : undefined
  if (known !== undefined) return known === (wanted === 'true')
  const lacksSum = !shape.spends && sumsIn(expression).length > 0
  if (!lacksSum && !pathsOf(expression, variables).some((path) => isAbsent(path, shape))) return true
  const operandMayBe = (operand: Expression) => mayBe(wanted, operand, shape, variables)
  const hasValue = (part: Expression) =>
    mayBe('true', part, shape, variables) || (isTruth(part) && mayBe('false', part, shape, variables))
  const isNone = (part: Expression) => readsNone(part, shape, variables)
  switch (expression.kind) {
    case 'not':
      return mayBe(wanted === 'true' ? 'false' : 'true', expression.operand, shape, variables)
    case 'and':
    case 'or':
      return wanted === (expression.kind === 'or' ? 'true' : 'false')
        ? expression.operands.some(operandMayBe)
        : expression.operands.every(operandMayBe)
    case 'list':
      return expression.items.some(hasValue)
    case 'sum': {
      const isZero = (operand: Expression) => pathOf(operand, variables)?.includes('[') ?? isNone(operand)
      return maySum(expression.operands, { mayExist: hasValue, isZero })
    }
    case 'comparison': {
      const isOfNone = comparedCounts(expression, shape, variables)
      if (isOfNone !== undefined) return isOfNone === (wanted === 'true')
      const parts = partsOf(expression)
      return parts.some(isNone) ? (expression.operator === '!=') === (wanted === 'true') : parts.every(hasValue)
    }
    case 'contains':
      return partsOf(expression).some(isNone) ? wanted === 'false' : partsOf(expression).every(hasValue)
    case 'predicate':
      if (expression.method !== 'filter' && isNone(expression.of)) return wanted === 'false'
      if (!hasValue(expression.of)) return false
      if (expression.method === 'filter') return true
      if (isEmpty(expression.of, shape, variables)) return (expression.method === 'all') === (wanted === 'true')
      // The test of an item that lacks a field is false, and a list may be empty unless it is written.
      if (wanted === 'false' && expression.of.kind !== 'list') return true
      return mayBe(wanted, expression.body, shape, variablesIn(expression, variables))
    default:
      if (expression.kind === 'spent' || pathOf(expression, variables) !== undefined) return false
      return isNone(expression) ? wanted === 'false' : partsOf(expression).every(hasValue)
  }
}

/** `wanted` says nothing of an expression that is no truth: whether it may have a value is asked then. */
type Wanted = 'true' | 'false'

function isTruth(expression: Expression): boolean {
  if (expression.kind === 'predicate') return expression.method !== 'filter'
  return ['boolean', 'not', 'and', 'or', 'comparison', 'contains'].includes(expression.kind)
}

/** Whether a list is empty for each request of this shape, because no item gets through its filter. */
function isEmpty(list: Expression, shape: Shape, variables: Variables): boolean {
  if (list.kind === 'slice') return isEmpty(list.of, shape, variables)
  if (list.kind !== 'predicate' || list.method !== 'filter') return false
  return !mayBe('true', list.body, shape, variablesIn(list, variables)) || isEmpty(list.of, shape, variables)
}

/** Whether an expression reads an item of a list that is empty. It equals nothing then. */
function readsNone(part: Expression, shape: Shape, variables: Variables): boolean {
  switch (part.kind) {
    case 'index':
      return isEmpty(part.of, shape, variables) || readsNone(part.of, shape, variables)
    case 'field':
    case 'slice':
      return readsNone(part.of, shape, variables)
    case 'sum': {
      const read = part.operands.filter((operand) => constantOf(operand) === undefined)
      return read.length > 0 && read.every((operand) => readsNone(operand, shape, variables))
    }
    default:
      return false
  }
}

/** A term of an item counts as 0 where it does not exist, and a field of the request does not. One term has to exist. */
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
  shape: Shape,
  variables: Variables,
): Truth {
  const countOf = (part: Expression) => {
    const { kind } = part
    if (kind !== 'count') return constantOf(part)
    const { of } = part
    if (of.kind !== 'predicate' || of.method !== 'filter') return undefined
    return mayBe('true', of.body, shape, variablesIn(of, variables)) ? undefined : 0n
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
