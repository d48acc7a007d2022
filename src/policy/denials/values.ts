import { payloads } from '../language/names/payload_types.ts'
import type { Expression } from '../language/syntax.ts'
import {
  isAbsent,
  isAmong,
  isAt,
  knownValue,
  noVariables,
  type Path,
  pathOf,
  pathsOf,
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
 * have: where only items of lists lack them, another operand of `&&` and `||` decides.
 */
export function mayBe(wanted: Wanted, expression: Expression, shape: Shape, variables = noVariables): boolean {
  const absent = pathsOf(expression, variables).filter((path) => isAbsent(path, shape))
  if (absent.length === 0) return true
  if (!absent.every((path) => isOfItem(path, shape))) return false
  const operandMayBe = (operand: Expression) => mayBe(wanted, operand, shape, variables)
  switch (expression.kind) {
    case 'not':
      return mayBe(wanted === 'true' ? 'false' : 'true', expression.operand, shape, variables)
    case 'and':
    case 'or':
      return wanted === (expression.kind === 'or' ? 'true' : 'false')
        ? expression.operands.some(operandMayBe)
        : expression.operands.every(operandMayBe)
    case 'predicate':
      return expression.method !== 'filter' && mayBe(wanted, expression.body, shape, variablesIn(expression, variables))
    default:
      return false
  }
}

type Wanted = 'true' | 'false'

/** Whether only an item of a list that is there lacks what a path leads to. */
function isOfItem(path: Path, shape: Shape): boolean {
  const item = path.search(/\[(?:\*|\d+|i)\]/)
  return item >= 0 && !isAbsent(path.slice(0, item), shape)
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
