import type { Expression } from '../syntax.ts'
import type { Clause, Environment, StepMeter } from './environment.ts'
import { EvaluationError } from './evaluation_error.ts'

/** Each sub-expression, each compared item, and each 64 units of compared or cut text are a step. */
export const stepsMax = 100_000
/** For all policies that are asked about one activity. */
export const stepsOfPoliciesMax = 1_000_000
export const unitsPerStep = 64
/** A missing or unreadable field that a rule that guards goes on after takes about as long as so many other steps. */
export const stepsOfError = 40
/** To read a text as a number takes about as long as so many other steps. */
export const stepsOfConversion = 5
/** To write the bytes of a key in base58 takes about as long as so many other steps. */
export const stepsOfKey = 40

export type Run = {
  readonly environment: Environment
  readonly trace: Clause[] | undefined
  stepsLeft: number
  /** Why the test of an item was taken for false, in a rule that guards. It is the result if the rule is not true. */
  lack?: EvaluationError
  /** Why a comparison with an unknown account was taken for false, in a rule that does not guard. */
  unknown: EvaluationError | undefined
}

/** Steps that several evaluations share, and those that they have taken. */
export type Budget = { readonly stepsMax: number; readonly meter: StepMeter }

/** The environment of an evaluation that takes no more steps than the budget has left. */
export function within({ stepsMax: all, meter }: Budget, environment: Environment): Environment {
  return { ...environment, meter, stepsMax: Math.min(stepsMax, all - meter.steps) }
}

/** Throws if no step is left. */
export function spend(run: Run, expression: Expression, steps: number): void {
  run.stepsLeft -= steps
  if (run.stepsLeft >= 0) return
  throw new EvaluationError('TOO_MANY_STEPS', expression, () => `the expression takes more than ${stepsMax} steps`)
}
