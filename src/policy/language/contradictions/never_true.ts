import { onceForInSteps } from '../../../protocol/tools/lazily.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import type { ExpressionKind } from '../names/keywords.ts'
import type { Expression } from '../syntax.ts'
import { isNeverTrue } from './contradictions.ts'
import { hasNoWay } from './no_way.ts'
import { hasOnlyImpossibleWays } from './ways/impossible_ways.ts'

/** Whether an expression is never true as a whole, as by `false`. Kept, because a check asks about every stored rule. */
export function neverTrue(expression: Expression, kind: ExpressionKind): Steps<boolean> {
  return kept[kind](expression)
}

const kept = {
  consensus: onceForInSteps((expression: Expression) => judge(expression, 'consensus')),
  condition: onceForInSteps((expression: Expression) => judge(expression, 'condition')),
  time: onceForInSteps((expression: Expression) => judge(expression, 'time')),
} as const satisfies Record<ExpressionKind, unknown>

function* judge(expression: Expression, kind: ExpressionKind): Steps<boolean> {
  if (isNeverTrue(expression, kind)) return true
  yield
  if (yield* hasNoWay(expression)) return true
  yield
  return hasOnlyImpossibleWays(expression, kind)
}
