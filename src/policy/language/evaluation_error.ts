import type { Expression } from './syntax.ts'
import { kindOf, type Value } from './values.ts'

export type EvaluationErrorCode =
  | 'MISSING_FIELD'
  | 'INDEX_OUT_OF_RANGE'
  | 'INTEGER_OUT_OF_RANGE'
  | 'TYPE_MISMATCH'
  | 'TOO_MANY_STEPS'

/** That a sub-expression has no value. */
export class EvaluationError extends Error {
  readonly code: EvaluationErrorCode
  readonly expression: Expression

  constructor(code: EvaluationErrorCode, expression: Expression, message: string) {
    super(message)
    this.code = code
    this.expression = expression
  }
}

export function mismatch(expression: Expression, expected: string, found: Value): EvaluationError {
  return new EvaluationError('TYPE_MISMATCH', expression, `expected ${expected}, found ${kindOf(found)}`)
}
