import type { Expression } from '../language/syntax.ts'
import { contentKeywords, isAbsent, isAmong, isAt, noVariables, type Path, pathOf } from './reads.ts'
import { type Shape, velocityControls } from './signing_requests.ts'

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
