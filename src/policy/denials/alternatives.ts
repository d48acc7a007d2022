import { onceFor } from '../../protocol/tools/once_for.ts'
import type { CompiledPolicy } from '../decision/policy_evaluator.ts'
import { print } from '../language/reading/print.ts'
import type { Expression } from '../language/syntax.ts'

const alternativesMax = 16

/** Denials that together deny what this one does: one for each operand of `||`. The last one has all that are too many. */
export const alternativesOf = onceFor((denial: CompiledPolicy): readonly CompiledPolicy[] => {
  const { condition } = denial
  if (condition === undefined) return [denial]
  const roots = alternativesIn(condition.root)
  if (roots.length === 1) return [denial]
  return roots.map((root) => ({ ...denial, condition: { ...condition, root, text: print(root) } }))
})

function alternativesIn(expression: Expression): readonly Expression[] {
  if (expression.kind === 'or') {
    const found = expression.operands.flatMap(alternativesIn)
    const rest = found.slice(alternativesMax - 1)
    return rest.length <= 1 ? found : [...found.slice(0, alternativesMax - 1), { ...expression, operands: rest }]
  }
  if (expression.kind !== 'and') return [expression]
  let found: readonly (readonly Expression[])[] = [[]]
  for (const operand of expression.operands) {
    const own = alternativesIn(operand)
    const isFew = found.length * own.length <= alternativesMax
    found = found.flatMap((before) => (isFew ? own : [operand]).map((one) => [...before, one]))
  }
  return found.map((operands) => ({ ...expression, operands }))
}
