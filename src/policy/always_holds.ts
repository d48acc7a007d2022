import { evaluate } from './language/evaluate.ts'
import type { Expression } from './language/syntax.ts'
import type { Struct } from './language/values.ts'
import type { CompiledExpression } from './policy_expressions.ts'

/** More than a text needs that only says `true`. Each side of an `||` is evaluated for itself. */
const stepsMax = 1_000

/** Of whom nothing is known. The submitter is an approver of every request. */
const submitterAlone: Struct = { approvers: [{}], credentials: [{}] }

/**
 * Whether an expression is true whatever is asked, and by whomever alone: it names nothing of a request and of an
 * approver, or one side of an `||` does not. Not every expression that is always true is found.
 */
export function holdsAlways({ kind, text, root }: Pick<CompiledExpression, 'kind' | 'text' | 'root'>): boolean {
  return text === '' || isTrue(root, kind === 'consensus' ? submitterAlone : {})
}

function isTrue(expression: Expression, keywords: Struct): boolean {
  if (expression.kind === 'or') return expression.operands.some((operand) => isTrue(operand, keywords))
  if (expression.kind === 'and') return expression.operands.every((operand) => isTrue(operand, keywords))
  const evaluation = evaluate(expression, { keywords, stepsMax })
  return evaluation.kind === 'value' && evaluation.value === true
}
