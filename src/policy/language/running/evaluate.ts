import { isList, isMap, isStruct, type Value } from '../expression_values.ts'
import { constantOf } from '../names/pieces.ts'
import type { Expression } from '../syntax.ts'
import { isWithin } from '../time/open_windows.ts'
import { certain, isAmong, isOrdered, negated, spendConversion } from './comparisons.ts'
import type { Clause, Environment, Evaluation } from './environment.ts'
import { EvaluationError, mismatch } from './evaluation_error.ts'
import { fieldValue, member, present } from './fields.ts'
import { decided, integerSaid, nothing, orNothing, requireKnown, sumOfTerms } from './guards.ts'
import { pathOf, rootOf } from './required_fields.ts'
import { type Run, spend, stepsMax, stepsOfError, unitsPerStep } from './run.ts'

export type * from './environment.ts'

/** The end of the year 9999. Calendars end some time after it. */
const timeMsMax = 253_402_300_799_999n
/** A CronSpan looks at each scheduled time of some days. */
const stepsOfCronSpan = 5000

/**
 * Returns the value of an expression. Nothing is skipped: both sides of `&&` and `||` and every item of a list are
 * evaluated, and an error anywhere is the result, but `guards.ts` says what one counts for in a rule that guards. `trace`
 * receives the clauses in the order of evaluation, without literals. Never throws, whatever it is given.
 */
export function evaluate(expression: Expression, environment: Environment, trace?: Clause[]): Evaluation {
  const allowed = environment.stepsMax ?? stepsMax
  const run: Run = { environment, trace, stepsLeft: allowed, unknown: undefined }
  try {
    const value = environment.guards ? booleanOf(expression, run, undefined) : resultOf(expression, run, undefined)
    if (value === false && run.lack !== undefined) throw run.lack
    return { kind: 'value', value }
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error
    return { kind: 'error', code: error.code, column: error.expression.start + 1, message: error.message }
  } finally {
    if (environment.meter !== undefined) environment.meter.steps += allowed - run.stepsLeft
  }
}

/** The variables of the surrounding predicates, innermost first. */
type Variables = { readonly name: string; readonly value: Value; readonly outer: Variables } | undefined

/** Recurses as deep as the tree, whose depth the parser limits. */
function resultOf(expression: Expression, run: Run, variables: Variables): Value {
  spend(run, expression, 1)
  switch (expression.kind) {
    case 'boolean':
    case 'integer':
    case 'string':
      return expression.value
    case 'timestamp':
      return expression.timeMs
    default: {
      const value = computed(expression, run, variables)
      run.trace?.push({ startColumn: expression.start + 1, endColumn: expression.end + 1, value })
      return value
    }
  }
}

type Computed = Exclude<Expression, { readonly kind: 'boolean' | 'integer' | 'string' | 'timestamp' }>

function computed(expression: Computed, run: Run, variables: Variables): Value {
  switch (expression.kind) {
    case 'list':
      return listValue(expression, run, variables)
    case 'name':
      return nameValue(expression, run, variables)
    case 'field':
      return fieldValue(expression, resultOf(expression.of, run, variables))
    case 'index':
      return indexValue(expression, run, variables)
    case 'slice':
      return sliceValue(expression, run, variables)
    case 'not':
      return negated(run, () => booleanOf(expression.operand, run, variables))
    case 'and':
    case 'or':
      return operandsDecided(expression, run, variables)
    case 'sum':
      return sumOf(expression, run, variables)
    case 'comparison':
      return comparisonValue(expression, run, variables)
    case 'count':
      return BigInt(listOf(expression.of, run, variables).length)
    case 'contains':
      return containsValue(expression, run, variables)
    case 'predicate':
      return predicateValue(expression, run, variables)
    case 'cron_span':
      return cronSpanValue(expression, run)
    case 'spent':
      return spentValue(expression, run)
  }
}

type Of<K extends Expression['kind']> = Expression & { readonly kind: K }

function listValue(expression: Of<'list'>, run: Run, variables: Variables): readonly Value[] {
  const lacks: EvaluationError[] = []
  const onLack = (error: EvaluationError) => lacks.push(error)
  const items = expression.items.map((item) =>
    orNothing(run, {
      ofNothing: nothing,
      read: () => certainOf(item, run, variables),
      onLack,
    }),
  )
  const [lack] = lacks
  if (lack === undefined) return items
  if (lacks.length === items.length) throw lack
  spend(run, expression, stepsOfError * lacks.length)
  run.lack ??= lack
  return items
}

function nameValue(expression: Of<'name'>, run: Run, variables: Variables): Value {
  for (let variable = variables; variable !== undefined; variable = variable.outer) {
    if (variable.name === expression.name) return variable.value
  }
  return member(run.environment.keywords, expression.name, expression)
}

function indexValue(expression: Of<'index'>, run: Run, variables: Variables): Value {
  const of = resultOf(expression.of, run, variables)
  const index = resultOf(expression.index, run, variables)
  if (isMap(of)) {
    if (typeof index !== 'string') throw mismatch(expression.index, 'a string as the key of a map', index)
    return present(of.get(index), expression)
  }
  if (typeof of !== 'string' && !isList(of)) throw mismatch(expression.of, 'a list, a map or a string', of)
  if (typeof index !== 'bigint') throw mismatch(expression.index, 'an integer as the index', index)
  requireKnown(of, expression)
  if (index < 0n || index >= BigInt(of.length)) {
    const message = () => `there is no index ${index}: the length is ${of.length}`
    throw new EvaluationError('INDEX_OUT_OF_RANGE', expression, message)
  }
  return present(of[Number(index)], expression)
}

function sliceValue(expression: Of<'slice'>, run: Run, variables: Variables): Value {
  const of = resultOf(expression.of, run, variables)
  const from = integerOf(expression.from, run, variables)
  const to = integerOf(expression.to, run, variables)
  if (typeof of !== 'string' && !isList(of)) throw mismatch(expression.of, 'a list or a string', of)
  requireKnown(of, expression)
  const isCutShort = run.environment.guards === true && isList(of)
  if (from < 0n || from > to || (to > BigInt(of.length) && !isCutShort)) {
    const message = () => `there is no slice ${from}..${to}: the length is ${of.length}`
    throw new EvaluationError('INDEX_OUT_OF_RANGE', expression, message)
  }
  const slice = of.slice(Number(from), Number(to))
  spend(run, expression, typeof slice === 'string' ? Math.floor(slice.length / unitsPerStep) : slice.length)
  return slice
}

/**
 * Exact, whatever the terms are. An error above some number would let the largest amounts pass a denial. A request has
 * integers of at most 256 bits, and an expression has a few thousand terms, so sums stay small.
 */
function sumOf(expression: Of<'sum' | 'and' | 'or'>, run: Run, variables: Variables): bigint {
  return sumOfTerms(run.environment, {
    terms: expression.operands.map((operand) => ({
      isWritten: constantOf(operand) !== undefined,
      read: () => integerOf(operand, run, variables),
    })),
    onAbsent(error) {
      // Who asks chooses a transaction without the field. One without its struct is of another kind.
      const isTerm = error.expression.kind === 'field' && expression.operands.includes(error.expression)
      if (!isTerm && isOfRequest(error.expression, variables)) throw error
      spend(run, expression, stepsOfError)
      if (error.code === 'MISSING_FIELD') run.lack ??= error
    },
  })
}

/** Whether an expression is a field of the request, and not one of an item of a list. */
function isOfRequest(expression: Expression, variables: Variables): boolean {
  const [root] = pathOf(expression) ?? []
  let variable = variables
  while (variable !== undefined && variable.name !== root) variable = variable.outer
  return root !== undefined && variable === undefined
}

function comparisonValue(expression: Of<'comparison'>, run: Run, variables: Variables): boolean {
  return orNothing(run, {
    ofNothing: expression.operator === '!=',
    read: () => compared(expression, run, variables),
  })
}

function containsValue(expression: Of<'contains'>, run: Run, variables: Variables): boolean {
  return orNothing(run, {
    ofNothing: false,
    read() {
      const list = listOf(expression.of, run, variables)
      return isAmong(certainOf(expression.item, run, variables), list, expression, run)
    },
  })
}

function compared(expression: Of<'comparison'>, run: Run, variables: Variables): boolean {
  const left = certainOf(expression.left, run, variables)
  const right = certainOf(expression.right, run, variables)
  switch (expression.operator) {
    case '==':
      return isAmong(left, [right], expression, run)
    case '!=':
      return negated(run, () => isAmong(left, [right], expression, run))
    case 'in':
      if (!isList(right)) throw mismatch(expression.right, "a list after 'in'", right)
      return isAmong(left, right, expression, run)
    default:
      return isOrdered(expression, { leftValue: left, rightValue: right }, run)
  }
}

function predicateValue(expression: Of<'predicate'>, run: Run, variables: Variables): Value {
  const { method, variable, body } = expression
  const onError = () => spend(run, expression, stepsOfError)
  const holds = (item: Value) => {
    const value = present(item, expression.of, 'an item of a list')
    return booleanOf(body, run, { name: variable, value, outer: variables })
  }
  const unlessItemLacks = (read: () => boolean) =>
    orNothing(run, {
      ofNothing: false,
      read,
      onLack(error) {
        if (rootOf(error.expression) !== variable) throw error
        onError()
        run.lack ??= error
      },
    })
  if (method === 'filter')
    return listOf(expression.of, run, variables).filter((item) =>
      unlessItemLacks(() => certain(run, () => holds(item))),
    )
  return unlessItemLacks(() => {
    const tests = listOf(expression.of, run, variables).map((item) => () => holds(item))
    return decided(run.environment, { decisive: method === 'any', tests, onError })
  })
}

function cronSpanValue(expression: Of<'cron_span'>, run: Run): boolean {
  spend(run, expression, stepsOfCronSpan)
  const time = member(run.environment.keywords, 'time', expression, 'time')
  const now = isStruct(time) ? member(time, 'now', expression, 'time.now') : time
  if (typeof now !== 'bigint') throw mismatch(expression, 'a timestamp as time.now', now)
  if (now < 0n || now > timeMsMax) throw new EvaluationError('NO_DATE', expression, () => 'time.now is no date')
  return isWithin(expression.span, Number(now))
}

function spentValue(expression: Of<'spent'>, run: Run): bigint {
  const sum = run.environment.spent?.(expression.path, expression.durationMs)
  if (sum === undefined) {
    throw new EvaluationError('MISSING_FIELD', expression, () => `the sum of ${expression.path} is not known here`)
  }
  return sum
}

function operandsDecided(expression: Of<'and' | 'or' | 'sum'>, run: Run, variables: Variables): boolean {
  return decided(run.environment, {
    decisive: expression.kind === 'or',
    tests: expression.operands.map((operand) => () => booleanOf(operand, run, variables)),
    onError: () => spend(run, expression, stepsOfError),
  })
}

function certainOf(expression: Expression, run: Run, variables: Variables): Value {
  const { kind } = expression
  // Most operands are such. They have no parts that could be compared.
  if (kind === 'integer' || kind === 'string' || kind === 'name') return resultOf(expression, run, variables)
  return certain(run, () => resultOf(expression, run, variables))
}

function booleanOf(expression: Expression, run: Run, variables: Variables): boolean {
  return orNothing(run, {
    ofNothing: false,
    read() {
      const value = resultOf(expression, run, variables)
      if (typeof value !== 'boolean') throw mismatch(expression, 'a boolean', value)
      return value
    },
  })
}

function integerOf(expression: Expression, run: Run, variables: Variables): bigint {
  const value = resultOf(expression, run, variables)
  spendConversion(run, value, expression)
  const integer = integerSaid(run.environment, value, expression)
  if (integer === undefined) throw mismatch(expression, 'an integer', value)
  return integer
}

function listOf(expression: Expression, run: Run, variables: Variables): readonly Value[] {
  const value = resultOf(expression, run, variables)
  if (!isList(value)) throw mismatch(expression, 'a list', value)
  return value
}
