import { message } from '../message.ts'
import type { ExpressionKind } from '../names/keywords.ts'
import { Problem } from '../problem.ts'
import type { Expression } from '../syntax.ts'
import { branchesOf, type Conjunct, conjunctsOf } from './conjuncts.ts'
import { isNeverSo } from './contradictions.ts'
import { shownAs } from './demands.ts'
import { noVariables, variablesIn } from './needs.ts'

/**
 * Why an `||` is always true: its sides leave nothing out together, as `a != 1 || a != 2` does, which is meant with `&&`.
 * The same of an `&&` within `!`. One with a side that is always true by itself says so, and is left alone.
 */
export function tautologiesIn(expression: Expression, kind: ExpressionKind): readonly Problem[] {
  return [...alwaysSo({ expression, isNegated: false, variables: noVariables }, kind)]
}

function* alwaysSo(whole: Conjunct, kind: ExpressionKind): Iterable<Problem> {
  for (const conjunct of conjunctsOf(whole)) {
    const { expression, variables } = conjunct
    const branches = branchesOf(conjunct)
    if (branches !== undefined) {
      if (isNeverSo(opposite(conjunct), kind) && !branches.some((branch) => isNeverSo(opposite(branch), kind))) {
        yield new Problem(expression.start, message`${shownAs(conjunct)} is always true where its fields exist`)
      } else for (const branch of branches) yield* alwaysSo(branch, kind)
    } else if (expression.kind === 'predicate') {
      const inside = variablesIn(expression, variables)
      yield* alwaysSo({ expression: expression.body, isNegated: false, variables: inside }, kind)
    }
  }
}

function opposite(conjunct: Conjunct): Conjunct {
  return { ...conjunct, isNegated: !conjunct.isNegated }
}
