import type { Expression } from '../language/syntax.ts'
import {
  contentKeywords,
  isAbsent,
  isAmong,
  isAt,
  knownValue,
  noVariables,
  type Path,
  pathOf,
  type Variables,
  variablesIn,
} from './reads.ts'
import type { Shape } from './signing_requests.ts'

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

type Truth = boolean | undefined

function negated(value: Truth): Truth {
  return value === undefined ? undefined : !value
}

function joined(kind: 'and' | 'or', values: readonly Truth[]): Truth {
  const decisive = kind === 'or'
  if (values.includes(decisive)) return decisive
  return values.includes(undefined) ? undefined : !decisive
}
