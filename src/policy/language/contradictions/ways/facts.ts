import type { Expression } from '../../syntax.ts'
import type { Conjunct } from '../conjuncts.ts'
import { demandedBy } from '../demands.ts'
import { both, type Values } from '../possible_values.ts'
import { type Around, type Term, termOf } from './terms.ts'

/** A term with what one way says of its value. `exists`: the request has it. */
export type Known = { readonly term: Term; readonly values: Values; readonly exists: boolean }

export type Pair = readonly [string, string]
/** The value of `below` is at most that of `above` and `more`. */
export type Order = { readonly below: string; readonly above: string; readonly more: bigint }

/** All that one way says of terms, by their names. */
export type Facts = {
  readonly known: Map<string, Known>
  readonly equal: Pair[]
  readonly unequal: Pair[]
  readonly orders: Order[]
}

export function factsOf(way: readonly Conjunct[], kind: Around['kind']): Facts {
  const facts: Facts = { known: new Map(), equal: [], unequal: [], orders: [] }
  for (const conjunct of way) addSaid(conjunct, { variables: conjunct.variables, kind }, facts)
  return facts
}

function addSaid(conjunct: Conjunct, around: Around, facts: Facts): void {
  const demanded = demandedBy(conjunct)
  if (demanded !== undefined) {
    const term = termOf(demanded.of, around)
    if (term === undefined || 'spans' in demanded.values !== term.isNumber) return
    const values = lessBy(demanded.values, term.more)
    add(term, facts, { values, exists: !demanded.isSoAbsent })
  } else if (conjunct.expression.kind === 'comparison') addCompared(conjunct.expression, conjunct, { around, facts })
}

function lessBy(values: Values, more: bigint): Values {
  if (!('spans' in values)) return values
  const less = (end: bigint | undefined) => (end === undefined ? undefined : end - more)
  return { spans: values.spans.map(({ min, max }) => ({ min: less(min), max: less(max) })) }
}

function addCompared(
  { operator, left, right }: Expression & { readonly kind: 'comparison' },
  { isNegated }: Conjunct,
  { around, facts }: { readonly around: Around; readonly facts: Facts },
): void {
  const [one, other] = [termOf(left, around), termOf(right, around)]
  if (operator === 'in' || one === undefined || other === undefined || one.isNumber !== other.isNumber) return
  if (operator === '==' || operator === '!=') {
    const exists = (operator === '==') !== isNegated
    // Two spellings of such an address are equal, though neither equals what the other one does.
    if (one.more !== other.more || [one, other].some(isAccountAddress)) return
    for (const term of [one, other]) add(term, facts, { exists })
    ;(exists ? facts.equal : facts.unequal).push([one.name, other.name])
    return
  }
  // A comparison by order is false of an item beyond the end, so its opposite is true.
  if (isNegated && (one.mayBeBeyond || other.mayBeBeyond)) return
  for (const term of [one, other]) add(term, facts, { exists: true })
  const isRising = operator.startsWith('<') !== isNegated
  const isStrict = (operator.length === 1) !== isNegated
  const [below, above] = isRising ? [one, other] : [other, one]
  const more = above.more - below.more - (isStrict ? 1n : 0n)
  facts.orders.push({ below: below.name, above: above.name, more })
}

function isAccountAddress({ name, part }: Term): boolean {
  return (part?.whole.name ?? name) === 'wallet_account.address'
}

type Said = { readonly values?: Values; readonly exists: boolean }

function add(term: Term, facts: Pick<Facts, 'known'>, said: Said): void {
  const { known } = facts
  const { name, part, mayBeBeyond } = term
  const before = known.get(name) ?? { term, values: term.values, exists: !mayBeBeyond }
  const values = said.values === undefined ? before.values : both(before.values, said.values)
  known.set(name, { term, values, exists: before.exists || said.exists })
  // A part of a text has the whole of it, which may be a written one.
  if (part !== undefined) add(part.whole, facts, { exists: said.exists })
}
