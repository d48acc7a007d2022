import type { ExpressionKind } from '../names/keywords.ts'
import type { Type } from '../names/types.ts'
import { print } from '../reading/print.ts'
import type { Expression } from '../syntax.ts'
import type { Conjunct } from './conjuncts.ts'
import { numberOf } from './constants.ts'
import { mayBeBeyond, placeOf, typeAt } from './places.ts'
import { allBut, numbersAmong, numbersFrom, textsAmong, type Values } from './possible_values.ts'

/**
 * The values that a place may have for a conjunct to be so. `isSoBeyond`: it is so as well for an item that is beyond the
 * end. `start`: where the written value stands.
 */
export type Demand = {
  readonly place: string
  readonly values: Values
  readonly isSoBeyond: boolean
  readonly start: number
  readonly shown: () => string
}

type Comparison = Expression & { readonly kind: 'comparison' }

/** Undefined for what is not about one place and written values. */
export function demandOf(conjunct: Conjunct, kind: ExpressionKind): Demand | undefined {
  const found = demandedBy(conjunct)
  const place = found && placeOf(found.of, conjunct.variables)
  if (found === undefined || place === undefined) return undefined
  if (found.isTruth && typeAt(place, kind)?.kind !== 'bool') return undefined
  const { values, isSoAbsent, start } = found
  return { place, values, isSoBeyond: isSoAbsent && mayBeBeyond(place), start, shown: () => shownAs(conjunct) }
}

/** The expression that a conjunct compares with written values, and the values. `isSoAbsent`: nothing is enough too. */
export function demandedBy({ expression, isNegated }: Conjunct) {
  const found = demandedIn(expression)
  if (found === undefined) return undefined
  const isSoAbsent = found.isUnequal !== isNegated
  return { ...found, values: isSoAbsent ? allBut(found.values) : found.values, isSoAbsent }
}

/** The values that a place has whatever is asked of it, as far as its type tells. */
export function valuesAt(place: string, kind: ExpressionKind): Values | undefined {
  if (place.endsWith('.count()')) return numbersFrom(0n, undefined)
  const type = typeAt(place, kind)
  return type === undefined ? undefined : valuesOf(type, place)
}

function valuesOf(type: Type, place: string): Values | undefined {
  switch (type.kind) {
    case 'bool':
      return textsAmong([true, false])
    case 'int':
    case 'uint':
      return type.range && numbersFrom(type.range.min, type.range.max)
    case 'string':
      // An activity without a name has the empty text in a rule that guards.
      return type.oneOf === undefined || place.startsWith('activity.') ? undefined : textsAmong(type.oneOf)
    default:
      return undefined
  }
}

const shownMax = 200

export function shownAs({ expression, isNegated }: Pick<Conjunct, 'expression' | 'isNegated'>): string {
  const { start, end } = expression
  const printed = print(isNegated ? { kind: 'not', operand: expression, start, end } : expression)
  const text = expression.kind === 'or' && !isNegated ? `(${printed})` : printed
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)}…`
}

type Demanded = {
  readonly of: Expression
  readonly values: Values
  readonly start: number
  /** The opposite of the values is demanded. */
  readonly isUnequal: boolean
  /** The demand is a boolean that stands alone. */
  readonly isTruth?: true
}

function demandedIn(expression: Expression): Demanded | undefined {
  switch (expression.kind) {
    case 'contains':
      return among(expression.item, expression.of)
    case 'comparison':
      return compared(expression)
    case 'name':
    case 'field':
    case 'index':
      return { of: expression, values: textsAmong([true]), start: expression.start, isUnequal: false, isTruth: true }
    default:
      return undefined
  }
}

function compared({ operator, left, right }: Comparison): Demanded | undefined {
  switch (operator) {
    case 'in':
      return among(left, right)
    case '==':
    case '!=': {
      const found = beside(left, right) ?? beside(right, left)
      return found && { ...found, isUnequal: operator === '!=' }
    }
    default: {
      const [one, other] = [numberOf(left), numberOf(right)]
      if ((one === undefined) === (other === undefined)) return undefined
      if (other !== undefined)
        return { of: left, values: ordered(operator, other), start: right.start, isUnequal: false }
      return one === undefined
        ? undefined
        : { of: right, values: ordered(flipped[operator], one), start: left.start, isUnequal: false }
    }
  }
}

type Order = '<' | '<=' | '>' | '>='
const flipped: Readonly<Record<Order, Order>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

function ordered(operator: Order, number: bigint): Values {
  switch (operator) {
    case '<':
      return numbersFrom(undefined, number - 1n)
    case '<=':
      return numbersFrom(undefined, number)
    case '>':
      return numbersFrom(number + 1n, undefined)
    case '>=':
      return numbersFrom(number, undefined)
  }
}

function among(of: Expression, list: Expression): Demanded | undefined {
  return list.kind === 'list' ? valuesIn(of, list.items, list.start) : undefined
}

function beside(of: Expression, written: Expression): Demanded | undefined {
  return valuesIn(of, [written], written.start)
}

function valuesIn(of: Expression, items: readonly Expression[], start: number): Demanded | undefined {
  const numbers = items.flatMap((item) => numberOf(item) ?? [])
  const texts = items.flatMap((item) => (item.kind === 'string' || item.kind === 'boolean' ? [item.value] : []))
  if (numbers.length + texts.length < items.length || (numbers.length > 0 && texts.length > 0)) return undefined
  const values = numbers.length > 0 ? numbersAmong(numbers) : textsAmong(texts)
  return { of, values, start: items[0]?.start ?? start, isUnequal: false }
}
