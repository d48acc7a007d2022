import type { Values } from '../possible_values.ts'
import type { Known, Order, Pair } from './facts.ts'

/** More orders are not looked at. */
const ordersMax = 400

/** The work on all ways of one expression that may still be done. Once there is none, all may be possible. */
export type Budget = { left: number }

/** The name of the number 0, which no term has. */
const zero = ''

/** Whether there are numbers of which all of this is so. */
export function areNumbersPossible(
  known: readonly Known[],
  { equal, orders }: { readonly equal: readonly Pair[]; readonly orders: readonly Order[] },
  budget: Budget,
): boolean {
  const all = [
    ...orders,
    ...equal.flatMap(([one, other]) => [atMost(one, other, 0n), atMost(other, one, 0n)]),
    ...known.flatMap((one) => (one.exists ? bounds(one.term.name, one.values) : [])),
    ...windows(known),
  ]
  return all.length > ordersMax || !hasCircle(all, budget)
}

function atMost(below: string, above: string, more: bigint): Order {
  return { below, above, more }
}

function bounds(name: string, values: Values): readonly Order[] {
  if (!('spans' in values)) return []
  const [min, max] = [values.spans[0]?.min, values.spans.at(-1)?.max]
  return [
    ...(min === undefined ? [] : [atMost(zero, name, -min)]),
    ...(max === undefined ? [] : [atMost(name, zero, max)]),
  ]
}

/** The sum of a window is at most that of a longer one, where no amount is below 0. */
function windows(known: readonly Known[]): readonly Order[] {
  const sums = known.flatMap(({ term: { name, spent } }) => (spent?.isNatural === true ? [{ name, ...spent }] : []))
  return sums.flatMap((one) =>
    sums
      .filter((other) => other !== one && other.path === one.path && other.others === one.others)
      .flatMap((other) => (one.durationMs <= other.durationMs ? [atMost(one.name, other.name, 0n)] : [])),
  )
}

/**
 * Whether a term would be less than itself. Bellman and Ford: with no circle, each has its final distance by then. The
 * orders are read forwards and backwards in turn, so that a chain takes two rounds.
 */
function hasCircle(orders: readonly Order[], budget: Budget): boolean {
  const most = new Map(orders.flatMap(({ below, above }) => [below, above]).map((name) => [name, 0n]))
  const backwards = orders.toReversed()
  for (let round = 0; round <= most.size; round++) {
    budget.left -= orders.length
    if (budget.left < 0) return false
    let isSettled = true
    for (const { below, above, more } of round % 2 === 0 ? orders : backwards) {
      const bound = (most.get(above) ?? 0n) + more
      if (bound >= (most.get(below) ?? 0n)) continue
      most.set(below, bound)
      isSettled = false
    }
    if (isSettled) return false
  }
  return true
}
