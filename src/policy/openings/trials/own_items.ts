import { print } from '../../language/reading/print.ts'
import { type Expression, everyPart, partsOf } from '../../language/syntax.ts'

/** The value of a part that makes the whole true. Undefined where either one may. */
export type Wanted = boolean | undefined
export type Test = Expression & { readonly kind: 'predicate' }

/** The starts of the tests that have an item of their own, by their lists. */
export type OwnItems = ReadonlyMap<string, readonly number[]>

export function wantedOfInner({ kind }: Expression, wanted: Wanted): Wanted {
  if (kind === 'not') return wanted === undefined ? undefined : !wanted
  return kind === 'and' || kind === 'or' || kind === 'predicate' ? wanted : undefined
}

/** Two tests of `any` may each be fulfilled by another item. */
export function ownItems(root: Expression): OwnItems {
  const found = new Map<string, number[]>()
  const note = (part: Expression, wanted: Wanted) => {
    if (part.kind === 'predicate' && hasItem(part, wanted)) {
      const list = print(part.of)
      const starts = found.get(list)
      if (starts === undefined) found.set(list, [part.start])
      else starts.push(part.start)
    }
    for (const inner of partsOf(part)) note(inner, wantedOfInner(part, wanted))
  }
  note(root, true)
  return found
}

/** Whether one item is enough for a test to have the wanted value. Else it is about each. */
function hasItem({ method }: Test, wanted: Wanted): boolean {
  return method !== 'filter' && (method === 'all') !== wanted
}

/** How many parts may be written again, for another item of their list. */
const copiesMax = 500
export type Copies = { left: number }
export const newCopies = (): Copies => ({ left: copiesMax })

type Around = { readonly items: OwnItems; readonly wanted: Wanted; readonly copies: Copies }

/**
 * The items that a test is about, by their numbers: its own, or that of each test of its list: only the first
 * where the condition would become too long.
 */
export function itemsFor(test: Test, { items, wanted, copies }: Around): readonly number[] {
  const starts = items.get(print(test.of)) ?? []
  if (hasItem(test, wanted)) return [Math.max(0, starts.indexOf(test.start))]
  if (starts.length < 2) return [0]
  const length = [...everyPart(test.body)].length * (starts.length - 1)
  if (length > copies.left) return [0]
  copies.left -= length
  return starts.map((_, index) => index)
}
