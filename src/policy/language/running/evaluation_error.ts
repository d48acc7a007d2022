import { kindOf, type Value } from '../expression_values.ts'
import type { Expression } from '../syntax.ts'

export type EvaluationErrorCode =
  | 'MISSING_FIELD'
  | 'INDEX_OUT_OF_RANGE'
  /** The request has the value, in a form that nobody here can read. */
  | 'UNREADABLE'
  /** The time is none that calendars have. */
  | 'NO_DATE'
  | 'TYPE_MISMATCH'
  | 'TOO_MANY_STEPS'

/**
 * The reason why a sub-expression has no value. `evaluate` makes an outcome of it. It is no `Error`: most policies are about
 * other requests than this one and end so, and recording a stack costs more than the rest of their evaluation.
 */
export class EvaluationError {
  readonly code: EvaluationErrorCode
  readonly expression: Expression
  /** Whether a missing field equals nothing, in a rule that guards, rather than that the request is of another kind. */
  readonly isNothing: boolean
  readonly #message: () => string

  /** A rule that guards goes on after most errors, so the message is made only for the last one. */
  constructor(
    code: EvaluationErrorCode,
    expression: Expression,
    message: () => string,
    { isNothing = false }: { readonly isNothing?: boolean } = {},
  ) {
    this.code = code
    this.isNothing = isNothing
    this.expression = expression
    this.#message = message
  }

  get message(): string {
    return this.#message()
  }
}

export function mismatch(expression: Expression, expected: string, found: Value): EvaluationError {
  return new EvaluationError('TYPE_MISMATCH', expression, () => `expected ${expected}, found ${kindOf(found)}`)
}
