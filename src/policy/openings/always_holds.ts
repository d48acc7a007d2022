import type { Steps } from '../../protocol/tools/steps.ts'
import type { Approvals } from '../decision/policy_evaluator.ts'
import type { CompiledExpression } from '../decision/policy_expressions.ts'
import type { Struct } from '../language/expression_values.ts'
import type { Evaluation, StepMeter } from '../language/running/environment.ts'
import { evaluate } from '../language/running/evaluate.ts'
import type { Expression } from '../language/syntax.ts'
import { typesFor } from './added_credentials.ts'
import { everyAssignment, someAssignments } from './trials/assignments.ts'
import { decidingNumbersOf } from './trials/deciding_numbers.ts'
import { some, type Told } from './trials/independent_parts.ts'
import { withTerms } from './trials/terms.ts'

/** More than a text needs that only says `true`. Each side of an `||` is evaluated for itself. */
const stepsMax = 1_000

/** The submitter, of whom nothing is known, is an approver of every request. */
const submitterAlone: Struct = { approvers: [{}], credentials: [{}] }

/**
 * Whether an expression is true for every request that anyone makes alone. Either it names nothing of a request and of
 * an approver, or one side of an `||` does not, or no values of its names make it false. Only some of many values are
 * tried: an expression that none of them makes false counts as always true.
 */
export function holdsAlways(compiled: CompiledExpression): boolean {
  const { kind, text, root } = compiled
  return text === '' || isTrue(root, kind === 'consensus' ? submitterAlone : {}) || isNeverFalse(compiled)
}

/**
 * The candidates who fulfil a consensus alone, and those for whom it takes too many steps to tell. `ways`: the
 * approvals that a candidate can give.
 */
export function* holdsForOne<T extends { readonly ways: readonly Approvals[] }>(
  { root }: Pick<CompiledExpression, 'root'>,
  candidates: readonly T[],
): Steps<{ readonly able: readonly T[]; readonly untold: readonly T[] }> {
  const meter: StepMeter = { steps: 0 }
  const able: T[] = []
  const untold: T[] = []
  for (const candidate of candidates) {
    yield
    const told = some(
      candidate.ways.map((keywords) => () => {
        return meter.steps > stepsOfUsersMax ? undefined : toldBy(evaluate(root, { keywords, meter }))
      }),
    )
    if (told === true) able.push(candidate)
    if (told === undefined) untold.push(candidate)
  }
  return { able, untold }
}

/** One that takes too many steps here may take fewer of a request. */
function toldBy(evaluation: Evaluation): Told {
  if (evaluation.kind === 'error') return evaluation.code === 'TOO_MANY_STEPS' ? undefined : false
  return evaluation.value === true
}

/**
 * Whether users of whom a consensus names nothing fulfil it, if some of them approve, but `most` at most, all with one of
 * the types of credentials that it tells apart, or each with all of them. Numbers up to 100 are tried, and greater ones
 * at which one of its comparisons changes, those beside them, and the greatest.
 */
export function* holdsForStrangers({ root }: Pick<CompiledExpression, 'root'>, most: number): Steps<Told> {
  const types = typesFor(root)
  const meter: StepMeter = { steps: 0 }
  const kindsOfUse = types.length === 1 ? [types] : [types, ...types.map((type) => [type])]
  let isUntold = false
  for (const count of numbersOf(root, most)) {
    for (const used of kindsOfUse) {
      if (meter.steps > stepsOfStrangersMax) return undefined
      yield
      const told = toldBy(evaluate(root, { keywords: strangers(count, used), meter }))
      if (told === true) return true
      if (told === undefined) isUntold = true
    }
  }
  return isUntold ? undefined : false
}

function numbersOf(root: Expression, most: number): readonly number[] {
  const numbers = [
    most,
    ...Array.from({ length: strangersMax }, (_, index) => index),
    ...decidingNumbersOf(root)
      .map(Number)
      .flatMap((number) => [number - 1, number, number + 1]),
  ]
  return [...new Set(numbers)].filter((number) => number >= 2 && number <= most)
}

function strangers(count: number, types: readonly string[]): Struct {
  const ids = Array.from({ length: count }, (_, index) => `\0${index}`)
  return {
    approvers: ids.map((id) => ({ id, alias: id, tags: [], email: id })),
    credentials: ids.flatMap((id) =>
      types.map((type) => ({ id: `${id} ${type}`, user_id: id, type, credential_id: '', public_key: `${id} ${type}` })),
    ),
  }
}

const strangersMax = 101

/** For each number of strangers, the users that a consensus names are compared with each of them. */
const stepsOfStrangersMax = 1_000_000

/** An ordinary consensus takes some dozens for a user. */
const stepsOfUsersMax = 200_000

function isTrue(expression: Expression, keywords: Struct): boolean {
  if (expression.kind === 'or') return expression.operands.some((operand) => isTrue(operand, keywords))
  if (expression.kind === 'and') return expression.operands.every((operand) => isTrue(operand, keywords))
  const evaluation = evaluate(expression, { keywords, stepsMax })
  return evaluation.kind === 'value' && evaluation.value === true
}

/** Steps of all that is tried together. */
const stepsOfTriesMax = 20_000

function isNeverFalse(compiled: CompiledExpression): boolean {
  const { start, end } = compiled.root
  const { root, terms } = withTerms({ ...compiled, root: { kind: 'not', operand: compiled.root, start, end } })
  const meter: StepMeter = { steps: 0 }
  for (const keywords of everyAssignment(terms) ?? someAssignments(terms)) {
    const evaluation = evaluate(root, { keywords, meter })
    if (evaluation.kind === 'error' || evaluation.value !== false) return false
    if (meter.steps > stepsOfTriesMax) break
  }
  return true
}
