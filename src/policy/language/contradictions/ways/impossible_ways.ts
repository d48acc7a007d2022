import type { ExpressionKind } from '../../names/keywords.ts'
import type { Expression } from '../../syntax.ts'
import { areNeverTogether, ordersOfFields } from '../fields_together.ts'
import { noVariables } from '../needs.ts'
import { both, everything, isNone, numbersFrom, type Values } from '../possible_values.ts'
import { type Facts, factsOf, type Known } from './facts.ts'
import { areNumbersPossible, type Budget } from './numbers_together.ts'
import { areTextsPossible, isKey } from './texts_together.ts'
import { type Way, waysOf } from './ways.ts'

/**
 * Whether an expression is never true, because in each way of its `||` something is said of a value that excludes what is
 * said of another one: of what equals it, of its parts, of its order, of a longer window, or of the items of its list.
 * `contradictionsIn` looks at one place at a time. This takes longer, and the editor does without it.
 */
export function hasOnlyImpossibleWays(expression: Expression, kind: ExpressionKind): boolean {
  const budget = { left: budgetMax }
  return waysOf({ expression, isNegated: false, variables: noVariables }).every((way) => !isPossible(way, kind, budget))
}

/** More work is not done, because all ways of an expression are judged in one step. */
const budgetMax = 15_000
/** The work of reading one part of a way, beside that of one order. */
const conjunctWork = 20

function isPossible(way: Way, kind: ExpressionKind, budget: Budget): boolean {
  budget.left -= way.length * conjunctWork
  if (budget.left < 0) return true
  const facts = factsOf(way, kind)
  const found = withEqual(facts)
  if (found === undefined) return false
  const known = withItems(found)
  const numbers = known.filter(({ term }) => term.isNumber)
  const names = new Set(numbers.map(({ term }) => term.name))
  const equal = facts.equal.filter(([one]) => names.has(one))
  return (
    known.every(({ values, exists }) => !exists || !isNone(values)) &&
    areNumbersPossible(numbers, { equal, orders: [...facts.orders, ...ordersAmong(names)] }, budget) &&
    areFieldsPossible(known) &&
    areTextsPossible(known.filter(({ term }) => !term.isNumber))
  )
}

function ordersAmong(names: ReadonlySet<string>): Facts['orders'] {
  const among = ordersOfFields.filter(([below, above]) => names.has(below) && names.has(above))
  return among.map(([below, above]) => ({ below, above, more: 0n }))
}

function areFieldsPossible(known: readonly Known[]): boolean {
  const asked = new Map(known.map(({ term, values, exists }) => [term.name, { values, isSoBeyond: !exists }]))
  return known.every(({ term }) => !areNeverTogether(term.name, (place) => asked.get(place)))
}

/** All that is known, with the values of all that equal each. Undefined if something has to be unequal to its equal. */
function withEqual({ known, equal, unequal }: Facts): readonly Known[] | undefined {
  const classes = new Map([...known].map(([name, one]) => [name, { members: [one] }]))
  for (const [one, other] of equal) {
    const [first, second] = [classes.get(one), classes.get(other)]
    if (first === undefined || second === undefined || first === second) continue
    first.members.push(...second.members)
    for (const { term } of second.members) classes.set(term.name, first)
  }
  const found = new Map<string, Known>()
  for (const { members } of new Set(classes.values())) {
    // A text that one field alone never has is named by itself.
    const shared = members.map((one) => one.values).reduce(both, everything)
    const values = members.length === 1 ? shared : members.reduce(withoutOthers, shared)
    for (const member of members) found.set(member.term.name, { ...member, values })
  }
  const areOne = ([one, other]: Facts['unequal'][number]) => {
    const [first, second] = [found.get(one), found.get(other)]
    if (first?.exists !== true || second?.exists !== true) return false
    return classes.get(one) === classes.get(other) || isOneValue(both(first.values, second.values), first, second)
  }
  return unequal.some(areOne) ? undefined : [...found.values()]
}

function isOneValue(values: Values, one: Known, other: Known): boolean {
  const sizeOf = (some: Values) => {
    if ('among' in some) return some.among.size
    const [span, ...more] = 'spans' in some ? some.spans : []
    return more.length === 0 && span?.min !== undefined && span.min === span.max ? 1 : undefined
  }
  return [values, one.values, other.values].every((some) => sizeOf(some) === 1)
}

/** The values without texts that the term never has. A key has two spellings, of which it may have the other one. */
function withoutOthers(values: Values, { term: { form, part } }: Known): Values {
  const { form: ofWhole } = part?.whole ?? {}
  const read = part === undefined ? form?.canonical : (text: string) => ofWhole?.canonicalPiece(text, part.from)
  if (!('among' in values) || read === undefined || (part !== undefined && ofWhole === undefined)) return values
  return { among: new Set([...values.among].filter((text) => isKey(text) || read(text) !== undefined)) }
}

/** More items of one list are not told apart. */
const itemsMax = 32

/** All that is known, with how many items a list has at least, because they are not the same. */
function withItems(known: readonly Known[]): readonly Known[] {
  const fields = new Map(known.filter(({ exists }) => exists).map((one) => [one.term.name, one.values]))
  return known.map((one) => {
    const { name } = one.term
    if (!name.endsWith('.count()')) return one
    const list = name.slice(0, -'.count()'.length)
    const items = itemsIn(list, [...fields.keys()])
    const apart: ReadonlyMap<string, string>[] = []
    for (const item of items) if (apart.every((other) => areApart(item, other, fields))) apart.push(item)
    const least = Math.max(apart.length, lastItemOf(list, [...fields.keys()]) + 1)
    return { ...one, values: both(one.values, numbersFrom(BigInt(least), undefined)) }
  })
}

/** The greatest index by which an item of a list is named, -1 for none. */
function lastItemOf(list: string, names: readonly string[]): number {
  const indexes = names.map((name) =>
    name.startsWith(`${list}[`) ? Number.parseInt(name.slice(list.length + 1), 10) : -1,
  )
  return Math.max(-1, ...indexes.filter((index) => index >= 0))
}

/** For each item of a list, the names of what is known of it by what stands after the item. */
function itemsIn(list: string, names: readonly string[]): readonly ReadonlyMap<string, string>[] {
  const items = new Map<string, Map<string, string>>()
  for (const name of names) {
    const end = name.startsWith(`${list}[@`) ? name.indexOf(']', list.length) + 1 : 0
    if (end === 0 || items.size >= itemsMax) continue
    const item = items.get(name.slice(0, end)) ?? new Map<string, string>()
    items.set(name.slice(0, end), item.set(name.slice(end), name))
  }
  return [...items.values()]
}

function areApart(
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
  fields: ReadonlyMap<string, Values>,
): boolean {
  return [...one].some(([field, name]) => {
    const [first, second] = [fields.get(name), fields.get(other.get(field) ?? '')]
    return first !== undefined && second !== undefined && isNone(both(first, second))
  })
}
