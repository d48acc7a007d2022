import type { Struct, Value } from '../expression_values.ts'
import type { EvaluationErrorCode } from './evaluation_error.ts'

/** The values of a request for an expression. */
export type Environment = {
  /** A field for each keyword. `time.now` is milliseconds since 1970. */
  readonly keywords: Struct
  /** The sum of a field over earlier signatures (docs/policies.md, "Spending limits"); undefined if unknown. */
  readonly spent?: (path: string, durationMs: number) => bigint | undefined
  /** Says how a velocity control came to its value. Only explanations ask. */
  readonly controlText?: (identifier: string) => string | undefined
  /** Counts the steps of all evaluations with this environment. It limits nothing. */
  readonly meter?: StepMeter | undefined
  /** Steps of one evaluation at most, where `stepsMax` are too many. */
  readonly stepsMax?: number
  /**
   * Whether the expression is of a rule that guards: a denial or an MFA policy. Its values then cannot make it an error
   * that lets the request pass (docs/policies.md, "Rules that guard").
   */
  readonly guards?: boolean
}

export type StepMeter = { steps: number }

/** `column` counts from 1 and is that of the sub-expression without a value. */
export type Evaluation =
  | { readonly kind: 'value'; readonly value: Value }
  | {
      readonly kind: 'error'
      readonly code: EvaluationErrorCode
      readonly column: number
      readonly message: string
    }

/** The value of a sub-expression; in a predicate one for each item. Columns count from 1; `endColumn` is exclusive. */
export type Clause = { readonly startColumn: number; readonly endColumn: number; readonly value: Value }
