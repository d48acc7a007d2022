import { evaluate } from './language/evaluate.ts'
import type { Expression } from './language/syntax.ts'
import type { CompiledExpression } from './policy_expressions.ts'

/**
 * Whether an expression is true whatever is asked: it names nothing of a request, or one side of an `||` names nothing.
 * Not every expression that is always true is found.
 */
export function holdsAlways({ text, root }: Pick<CompiledExpression, 'text' | 'root'>): boolean {
  return text === '' || isTrue(root)
}

function isTrue(expression: Expression): boolean {
  if (expression.kind === 'or') return expression.operands.some(isTrue)
  if (expression.kind === 'and') return expression.operands.every(isTrue)
  const evaluation = evaluate(expression, { keywords: {} })
  return evaluation.kind === 'value' && evaluation.value === true
}
