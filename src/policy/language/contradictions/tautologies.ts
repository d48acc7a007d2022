import { message } from '../message.ts'
import type { ExpressionKind } from '../names/keywords.ts'
import { Problem } from '../problem.ts'
import type { Expression } from '../syntax.ts'
import { branchesOf, type Conjunct, conjunctsOf } from './conjuncts.ts'
import { isNeverSo, type Looks } from './contradictions.ts'
import { shownAs } from './demands.ts'
import { noVariables, variablesIn } from './needs.ts'

/**
 * Why an `||` is always true: its sides leave nothing out together, as `a != 1 || a != 2` does, which is meant with `&&`.
 * The same of an `&&` within `!`. One with a side that is always true by itself says so, and is left alone.
 */
export function tautologiesIn(expression: Expression, kind: ExpressionKind): readonly Problem[] {
  return [...alwaysSo({ expression, isNegated: false, variables: noVariables }, kind, { left: looksMax })]
}

/** Each `||` looks at all that stands within it, so dozens within each other would take seconds. */
const looksMax = 1000

function* alwaysSo(whole: Conjunct, kind: ExpressionKind, looks: Looks): Iterable<Problem> {
  for (const conjunct of conjunctsOf(whole)) {
    const { expression, variables } = conjunct
    const branches = branchesOf(conjunct)
    if (branches !== undefined) {
      if (
        isNeverSo(opposite(conjunct), kind, looks) &&
        !branches.some((branch) => isNeverSo(opposite(branch), kind, looks)) &&
        looks.left >= 0
      ) {
        yield new Problem(expression.start, message`${shownAs(conjunct)} is always true where its fields exist`)
      } else for (const branch of branches) yield* alwaysSo(branch, kind, looks)
    } else if (expression.kind === 'predicate') {
      const inside = variablesIn(expression, variables)
      yield* alwaysSo({ expression: expression.body, isNegated: false, variables: inside }, kind, looks)
    }
  }
}

function opposite(conjunct: Conjunct): Conjunct {
  return { ...conjunct, isNegated: !conjunct.isNegated }
}
