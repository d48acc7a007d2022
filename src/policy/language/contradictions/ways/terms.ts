import type { Form } from '../../names/forms.ts'
import type { ExpressionKind } from '../../names/keywords.ts'
import { constantOf } from '../../names/pieces.ts'
import { isInteger } from '../../names/types.ts'
import { quoted } from '../../reading/print.ts'
import { type Expression, partsOf } from '../../syntax.ts'
import { valuesAt } from '../demands.ts'
import type { Variables } from '../needs.ts'
import { mayBeBeyond, placeOf, typeAt } from '../places.ts'
import { everything, numbersFrom, textsAmong, type Values } from '../possible_values.ts'

/** Something that has one value in a request. Two with one name have the same value. */
export type Term = {
  readonly name: string
  /** The value of the expression is this and `more`: what is written beside it in a sum. */
  readonly more: bigint
  readonly isNumber: boolean
  /** The values that it has whatever is asked of it. */
  readonly values: Values
  /** The request may lack it, although it has all fields: an item or a part beyond the end. */
  readonly mayBeBeyond: boolean
  /** The form of its texts. */
  readonly form?: Form
  /** The text that it is, or of which it is a part, with its place. */
  readonly part?: PartOfText
  /** It is what was spent in a window, and these others. */
  readonly spent?: Window
}
/** `others`: what else is in the sum. */
type Window = {
  readonly path: string
  readonly durationMs: number
  readonly isNatural: boolean
  readonly others: string
}
type PartOfText = { readonly whole: Term; readonly from: number; readonly to: number }

export type Around = { readonly variables: Variables; readonly kind: ExpressionKind }

/** Undefined for what has no type that is known here, and for what may be another thing each time. */
export function termOf(expression: Expression, around: Around): Term | undefined {
  switch (expression.kind) {
    case 'string':
      return named(quoted(expression.value), textsAmong([expression.value]))
    case 'index':
    case 'slice':
      return partOfText(expression, around) ?? termOfPlace(expression, around)
    case 'sum':
      return termOfSum(expression, around)
    default:
      return termOfPlace(expression, around)
  }
}

function named(name: string, values: Values, rest: Partial<Term> = {}): Term {
  return { name, values, more: 0n, isNumber: false, mayBeBeyond: false, ...rest }
}

const naturals = numbersFrom(0n, undefined)

function termOfPlace(expression: Expression, { variables, kind }: Around): Term | undefined {
  const name = placeOf(expression, variables)
  if (name === undefined) return undefined
  if (expression.kind === 'count') return named(name, naturals, { isNumber: true })
  if (expression.kind === 'spent') {
    const { path, durationMs } = expression
    const type = typeAt(path, kind)
    const isNatural = type?.kind === 'uint' || (type?.kind === 'int' && (type.range?.min ?? -1n) >= 0n)
    return named(name, everything, { isNumber: true, spent: { path, durationMs, isNatural, others: '' } })
  }
  const type = typeAt(name, kind)
  if (type === undefined || !['bool', 'int', 'uint', 'string', 'timestamp'].includes(type.kind)) return undefined
  const isNumber = isInteger(type) || type.kind === 'timestamp'
  // An activity without a name has the empty text in a rule that guards.
  const form = type.kind === 'string' && !name.startsWith('activity.') ? type.form : undefined
  const rest = { isNumber, mayBeBeyond: mayBeBeyond(name), ...(form === undefined ? {} : { form }) }
  return named(name, valuesAt(name, kind) ?? everything, rest)
}

/** A character or a slice with written places. */
function partOfText(expression: Expression & { readonly kind: 'index' | 'slice' }, around: Around): Term | undefined {
  const of = termOf(expression.of, around)
  const [, ...bounds] = partsOf(expression)
  const [first, last = first === undefined ? undefined : first + 1n] = bounds.map(constantOf)
  if (of === undefined || of.isNumber || first === undefined || last === undefined) return undefined
  const { whole, from: before, to: end } = of.part ?? { whole: of, from: 0, to: Number.POSITIVE_INFINITY }
  const [from, to] = [before + Number(first), before + Number(last)]
  if (first < 0n || from > to || to > end) return undefined
  return named(`${whole.name}[${from}..${to}]`, everything, { mayBeBeyond: true, part: { whole, from, to } })
}

function termOfSum({ operands }: Expression & { readonly kind: 'sum' | 'and' | 'or' }, around: Around) {
  const read = operands.filter((operand) => constantOf(operand) === undefined)
  const terms = read.flatMap((operand) => termOf(operand, around) ?? [])
  const isKnown = terms.length === read.length && terms.every((one) => one.isNumber && !one.mayBeBeyond)
  if (terms.length === 0 || !isKnown) return undefined
  const nameOf = (some: readonly Term[]) =>
    some
      .map(({ name }) => name)
      .toSorted()
      .join(' + ')
  const written = operands.map((operand) => constantOf(operand) ?? 0n).reduce((sum, one) => sum + one, 0n)
  const more = terms.reduce((sum, one) => sum + one.more, written)
  const [only] = terms
  if (only !== undefined && terms.length === 1) return { ...only, more }
  const [window, ...windows] = terms.filter(({ spent }) => spent !== undefined)
  const others = nameOf(terms.filter((one) => one !== window))
  const spent = windows.length === 0 && window?.spent !== undefined ? { spent: { ...window.spent, others } } : {}
  return named(nameOf(terms), everything, { isNumber: true, more, ...spent })
}
