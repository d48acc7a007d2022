import { type Expression, everyPart } from '../../language/syntax.ts'

/**
 * The numbers at which a comparison may change: how much more the rest of one side needs than the rest of the other. The
 * sides of a membership are the item and its list. Numbers in sums count together: `count + 1 == 3 + 3` changes at 5.
 */
export function decidingNumbers(left: Expression, right: Expression): readonly bigint[] {
  return itemsOf(left).flatMap((one) =>
    itemsOf(right).flatMap((other) => {
      const addends = [...addendsOf(one), ...addendsOf(other)]
      const others = addends.filter(({ kind }) => kind !== 'integer').length
      if (others === addends.length) return []
      const needed = magnitude(numberIn(other) - numberIn(one))
      // One of several addends may be all that is needed, or each an equal part.
      return others > 1 ? [needed, needed / BigInt(others)] : [needed]
    }),
  )
}

/** The same of all comparisons of an expression. */
export function decidingNumbersOf(root: Expression): readonly bigint[] {
  return [...everyPart(root)].flatMap((part) => {
    if (part.kind === 'comparison') return decidingNumbers(part.left, part.right)
    return part.kind === 'contains' ? decidingNumbers(part.item, part.of) : []
  })
}

/** The terms of a sum, also of one in parentheses. Anything else is its own term. */
export function addendsOf(side: Expression): readonly Expression[] {
  return side.kind === 'sum' ? side.operands.flatMap(addendsOf) : [side]
}

function itemsOf(side: Expression): readonly Expression[] {
  return side.kind === 'list' ? side.items : [side]
}

function numberIn(side: Expression): bigint {
  return addendsOf(side).reduce((sum, one) => (one.kind === 'integer' ? sum + one.value : sum), 0n)
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value
}
