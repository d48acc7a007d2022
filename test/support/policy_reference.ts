import type { Value } from '../../src/policy/language/expression_values.ts'
import type { Environment } from '../../src/policy/language/running/evaluate.ts'
import type { EvaluationErrorCode } from '../../src/policy/language/running/evaluation_error.ts'
import type { Expression } from '../../src/policy/language/syntax.ts'

/**
 * A second evaluator, slow and obvious, to compare with the real one. It never throws and never stops early: each
 * sub-expression gives its value, or every error below it. It counts no steps.
 */
export type Outcome = { readonly value: Value } | { readonly errors: ReadonlySet<EvaluationErrorCode> }

type Bindings = Readonly<Record<string, Value>>

const error = (code: EvaluationErrorCode): Outcome => ({ errors: new Set([code]) })
const value = (of: Value | undefined): Outcome => (of === undefined ? error('MISSING_FIELD') : { value: of })

export function referenceOutcome(expression: Expression, environment: Environment, bindings: Bindings = {}): Outcome {
  const go = (part: Expression) => referenceOutcome(part, environment, bindings)
  const integer = (part: Expression) => only(go(part), (of) => typeof of === 'bigint')
  const boolean = (part: Expression) => only(go(part), (of) => typeof of === 'boolean')
  const list = (part: Expression) => only(go(part), Array.isArray)
  const e = expression
  switch (e.kind) {
    case 'boolean':
    case 'integer':
    case 'string':
      return { value: e.value }
    case 'timestamp':
      return { value: BigInt(Temporal.Instant.from(e.text).epochMilliseconds) }
    case 'list':
      return combine(e.items.map(go), (...items) => ({ value: items }))
    case 'name':
      return Object.hasOwn(bindings, e.name) ? value(bindings[e.name]) : own(environment.keywords, e.name)
    case 'field':
      return combine([go(e.of)], (of) => own(of, e.name))
    case 'index':
      return combine([go(e.of), go(e.index)], atIndex)
    case 'slice':
      return combine([go(e.of), integer(e.from), integer(e.to)], slice)
    case 'not':
      return combine([boolean(e.operand)], (operand) => ofBooleans([operand], ([only]) => !only))
    case 'and':
      return combine(e.operands.map(boolean), (...all) => ofBooleans(all, (booleans) => !booleans.includes(false)))
    case 'or':
      return combine(e.operands.map(boolean), (...all) => ofBooleans(all, (booleans) => booleans.includes(true)))
    case 'sum':
      return combine(e.operands.map(integer), (...all) => {
        const integers = all.flatMap((each) => (typeof each === 'bigint' ? [each] : []))
        return { value: integers.reduce((sum, each) => sum + each, 0n) }
      })
    case 'comparison':
      return combine([go(e.left), go(e.right)], (left, right) => compare(e.operator, left, right))
    case 'count':
      return combine([list(e.of)], (of) => (Array.isArray(of) ? { value: BigInt(of.length) } : error('TYPE_MISMATCH')))
    case 'contains':
      return combine([list(e.of), go(e.item)], (of, item) => compare('in', item, of))
    case 'predicate':
      return combine([go(e.of)], (of) => {
        if (!Array.isArray(of)) return error('TYPE_MISMATCH')
        const items: readonly Value[] = of
        const bodies = items.map((item) =>
          only(
            referenceOutcome(e.body, environment, { ...bindings, [e.variable]: item }),
            (of) => typeof of === 'boolean',
          ),
        )
        return combine(bodies, (...verdicts) =>
          ofBooleans(verdicts, (booleans) => {
            if (e.method === 'all') return !booleans.includes(false)
            return e.method === 'any' ? booleans.includes(true) : items.filter((_, index) => booleans[index])
          }),
        )
      })
    case 'cron_span':
      return combine([own(environment.keywords, 'time')], (time) =>
        combine([own(time, 'now')], (now) => ({ value: isWithinSpan(e.texts, Number(now)) })),
      )
    case 'spent':
      return value(environment.spent?.(e.path, e.durationMs))
  }
}

/** Returns the outcome, or a mismatch when its value does not pass. */
function only(outcome: Outcome, passes: (of: Value) => boolean): Outcome {
  return 'value' in outcome && !passes(outcome.value) ? error('TYPE_MISMATCH') : outcome
}

/** Returns the result of `then` when all outcomes have a value, else all their errors. */
function combine(outcomes: readonly Outcome[], then: (...values: Value[]) => Outcome): Outcome {
  const errors = outcomes.flatMap((outcome) => ('errors' in outcome ? [...outcome.errors] : []))
  if (errors.length > 0) return { errors: new Set(errors) }
  return then(...outcomes.flatMap((outcome) => ('value' in outcome ? [outcome.value] : [])))
}

/** The call has arguments, since its function has a name; what has a nonce is valid on some chain; and so on. */
const unreadableBeside = [
  ['contract_call_args', 'function_name'],
  ['program_call_args', 'instruction_name'],
  ['chain_id', 'nonce'],
  ['fee', 'locktime'],
  ['token_mint', 'withheld_fee'],
  ['amount', 'instruction_name'],
] as const

function own(of: Value, name: string): Outcome {
  if (typeof of !== 'object' || Array.isArray(of) || of instanceof Map) return error('TYPE_MISMATCH')
  const entries = Object.entries(of)
  const fieldOf = (key: string) => entries.find(([each]) => each === key)?.[1]
  const isUnreadable =
    unreadableBeside.some(([field, beside]) => field === name && fieldOf(beside) !== undefined) ||
    (name === 'chain_id' && entries.some(([key]) => key === 'verifying_contract'))
  if (fieldOf('is_any') === true) return error('UNREADABLE')
  return fieldOf(name) === undefined && isUnreadable ? error('UNREADABLE') : value(fieldOf(name))
}

function atIndex(of: Value, index: Value): Outcome {
  if (of instanceof Map) return typeof index === 'string' ? value(of.get(index)) : error('TYPE_MISMATCH')
  if (typeof of !== 'string' && !Array.isArray(of)) return error('TYPE_MISMATCH')
  if (typeof index !== 'bigint') return error('TYPE_MISMATCH')
  const parts: readonly Value[] = typeof of === 'string' ? of.split('') : of
  return parts.length > index && index >= 0n ? value(parts[Number(index)]) : error('INDEX_OUT_OF_RANGE')
}

function slice(of: Value, from: Value, to: Value): Outcome {
  if (typeof from !== 'bigint' || typeof to !== 'bigint') return error('TYPE_MISMATCH')
  if (typeof of !== 'string' && !Array.isArray(of)) return error('TYPE_MISMATCH')
  const parts: readonly Value[] = typeof of === 'string' ? of.split('') : of
  if (from < 0n || to < from || to > parts.length) return error('INDEX_OUT_OF_RANGE')
  const taken = parts.filter((_, index) => index >= from && index < to)
  return { value: typeof of === 'string' ? taken.join('') : taken }
}

function compare(operator: string, left: Value, right: Value): Outcome {
  if (operator === 'in') {
    if (!Array.isArray(right)) return error('TYPE_MISMATCH')
    const items: readonly Value[] = right
    return combine(
      items.map((item) => compare('==', left, item)),
      (...verdicts) => ({ value: verdicts.includes(true) }),
    )
  }
  if (operator === '==' || operator === '!=') {
    if (typeof left !== typeof right || typeof left === 'object') return error('TYPE_MISMATCH')
    return { value: (canonical(left) === canonical(right)) === (operator === '==') }
  }
  if (typeof left !== 'bigint' || typeof right !== 'bigint') return error('TYPE_MISMATCH')
  const sign = left - right
  const table: Readonly<Record<string, boolean>> = {
    '<': sign < 0n,
    '<=': sign <= 0n,
    '>': sign > 0n,
    '>=': sign >= 0n,
  }
  const verdict = table[operator]
  return verdict === undefined ? error('TYPE_MISMATCH') : { value: verdict }
}

function canonical(of: Value): Value {
  return typeof of === 'string' && /^0x[0-9a-fA-F]*$/.test(of) ? of.toLowerCase() : of
}

function ofBooleans(values: readonly Value[], then: (booleans: readonly boolean[]) => Value): Outcome {
  const booleans = values.flatMap((each) => (typeof each === 'boolean' ? [each] : []))
  return booleans.length === values.length ? { value: then(booleans) } : error('TYPE_MISMATCH')
}

/** Day by day and time by time. Uses Intl, because the real evaluator uses Temporal. */
export function isWithinSpan([cron, duration, zone]: readonly [string, string, string], nowMs: number): boolean {
  const [minutes = [], hours = [], monthDays = [], months = [], weekdays = []] = cron.split(' ').map(fieldValues)
  const [, , dayText, , weekdayText] = cron.split(' ')
  const units = { d: dayMs, h: 3_600_000, m: 60_000 }
  const durationMs = [...duration.matchAll(/(\d+)([dhm])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (unit === 'd' ? units.d : unit === 'h' ? units.h : units.m),
    0,
  )
  const today = Math.floor((nowMs + offsetMsAt(zone, nowMs)) / dayMs)
  for (let back = -2; back <= 10; back++) {
    const day = new Date((today - back) * dayMs)
    const isMonthDay = monthDays.includes(day.getUTCDate())
    const isWeekday = weekdays.includes(day.getUTCDay())
    const isEither = dayText !== '*' && weekdayText !== '*'
    if (!months.includes(day.getUTCMonth() + 1)) continue
    if (!(isEither ? isMonthDay || isWeekday : isMonthDay && isWeekday)) continue
    for (const hour of hours) {
      for (const minute of minutes) {
        const localMs = day.getTime() + hour * units.h + minute * units.m
        // Local time differs from UTC by less than a day, and Intl takes long.
        if (Math.abs(nowMs - localMs) > durationMs + dayMs) continue
        const elapsedMs = nowMs - instantOf(zone, localMs)
        if (elapsedMs >= 0 && elapsedMs < durationMs) return true
      }
    }
  }
  return false
}

const dayMs = 86_400_000

/** The instant of a wall clock's time, which is written as if it were UTC, by the rule of RFC 5545, 3.3.5. */
function instantOf(zone: string, localMs: number): number {
  const [beforeMs, afterMs] = [offsetMsAt(zone, localMs - dayMs), offsetMsAt(zone, localMs + dayMs)]
  const isShown = (offsetMs: number) => offsetMsAt(zone, localMs - offsetMs) === offsetMs
  return localMs - (isShown(beforeMs) || !isShown(afterMs) ? beforeMs : afterMs)
}

function offsetMsAt(zone: string, timeMs: number): number {
  const format = formats.get(zone) ?? clockOf(zone)
  formats.set(zone, format)
  const wholeSecondMs = Math.floor(timeMs / 1000) * 1000
  return Date.parse(`${format.format(wholeSecondMs)}Z`) - wholeSecondMs
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Swedish writes a time as 2026-03-29 03:00:00. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
}

function fieldValues(text: string): readonly number[] {
  if (text === '*') return Array.from({ length: 60 }, (_, index) => index).slice(0, 60)
  return text.split(',').flatMap((part) => {
    const [from = 0, to = from] = part.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })
}
