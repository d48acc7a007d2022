import { branchesOf, type Conjunct, conjunctsOf } from '../conjuncts.ts'
import { pathOf } from '../needs.ts'

/** All that is so at once in one of the ways in which an expression may be true. */
export type Way = readonly Conjunct[]

/** More ways are not told apart: an `||` that would make more says nothing. */
const waysMax = 64

/** More items are not looked at for what an `all` says of each. */
const itemsMax = 32

/** The ways in which something may be so. One of them is so whenever it is. */
export function waysOf(whole: Conjunct): readonly Way[] {
  return withMore([[]], conjunctsOf(whole)).flatMap(withTests)
}

function withMore(before: readonly Way[], conjuncts: readonly Conjunct[]): readonly Way[] {
  let ways = before
  for (const conjunct of conjuncts) {
    const branches = branchesOf(conjunct)
    const own = branches?.flatMap((branch) => withMore([[]], conjunctsOf(branch))) ?? [[conjunct]]
    if (ways.length * own.length > waysMax) continue
    ways = ways.flatMap((way) => own.map((more) => [...way, ...more]))
  }
  return ways
}

/** The way with what each test by `all` says of an item of which something else is said. */
function withTests(way: Way): readonly Way[] {
  const items = [...new Set(way.flatMap(({ variables }) => [...variables.values()]))].slice(0, itemsMax)
  const said = way.flatMap(({ expression, isNegated, variables }) => {
    if (isNegated || expression.kind !== 'predicate' || expression.method !== 'all') return []
    const { of, body, variable } = expression
    const list = pathOf(of, variables)
    const own = items.filter((item) => item !== undefined && list !== undefined && isItemOf(item, list))
    return own.flatMap((item) =>
      conjunctsOf({ expression: body, isNegated: false, variables: new Map(variables).set(variable, item) }),
    )
  })
  return withMore([way], said)
}

/** The one item of a list that has no more goes by the name of the list. */
function isItemOf(item: string, list: string): boolean {
  return item === list || (item.startsWith(`${list}[`) && item.indexOf(']', list.length) === item.length - 1)
}
