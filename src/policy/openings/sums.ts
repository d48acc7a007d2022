import { onceFor } from '../../protocol/tools/once_for.ts'
import { print } from '../language/reading/print.ts'
import { certainParts } from '../language/running/required_fields.ts'
import { type Expression, everyPart } from '../language/syntax.ts'
import { addendsOf } from './trials/deciding_numbers.ts'

/** Whether an expression is an error for all but transactions: a sum of signatures is known of no other activity. */
export const needsSum: (root: Expression) => boolean = onceFor(
  (root: Expression) => root.kind === 'spent' || certainParts(root).some((part) => needsSum(part)),
)

/** The sums that are compared together with the field of the request that they are of. Any other is one of the past alone. */
const sumsWithRequest = onceFor((root: Expression): ReadonlySet<string> => {
  const sides = [...everyPart(root)].flatMap((part) => (part.kind === 'comparison' ? [part.left, part.right] : []))
  return new Set(
    sides.flatMap((side) => {
      const addends = addendsOf(side)
      const fields = new Set(addends.map(print))
      return addends.flatMap((one) => (one.kind === 'spent' && fields.has(one.path) ? [print(one)] : []))
    }),
  )
})

/** Whether a part of an expression is a sum of the past, which limits nothing: it does not have the amount of the request. */
export function isPastAlone(root: Expression, part: Expression): boolean {
  return part.kind === 'spent' && !sumsWithRequest(root).has(print(part))
}
