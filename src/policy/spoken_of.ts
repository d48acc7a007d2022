import type { Approvals } from './evaluate_policies.ts'
import { evaluate } from './language/evaluate.ts'
import { type Budget, within } from './language/run.ts'
import { type Expression, everyPart, partsOf } from './language/syntax.ts'
import type { Struct } from './language/values.ts'

/**
 * Whether a consensus expression speaks of a user, and so gives the user a vote: one of its predicates over `approvers`
 * or `credentials` holds for the user or one of the user's credentials. An expression that uses these lists without a
 * predicate, such as `approvers.count() >= 2`, speaks of everybody. A predicate that takes more steps than the budget
 * has speaks of nobody.
 */
export function isSpokenOf(consensus: Expression, theirs: Approvals, budget: Budget): boolean {
  return speaksOf(consensus, { ...theirs }, budget)
}

/** `keywords` are the approvals of the user, and the items of written lists that tests around the expression name. */
function speaksOf(consensus: Expression, keywords: Struct, budget: Budget): boolean {
  budget.meter.steps += 1
  if (budget.meter.steps > budget.stepsMax) return false
  if (isListOfApprovals(consensus)) return true
  const isIn = (part: Expression) => speaksOf(part, keywords, budget)
  if (consensus.kind !== 'predicate') return partsOf(consensus).some(isIn)
  const { of, variable, body } = consensus
  if (of.kind === 'list') {
    return of.items.some(
      (item) => item.kind !== 'string' || speaksOf(body, { ...keywords, [variable]: item.value }, budget),
    )
  }
  if (!isListOfApprovals(of)) return partsOf(consensus).some(isIn)
  // How many approve is no matter of one user.
  if ([...everyPart(body)].some((part) => part.kind === 'count' && isListOfApprovals(part.of))) return true
  const holds = evaluate({ ...consensus, method: 'any' }, within(budget, { keywords }))
  return holds.kind === 'value' && holds.value === true
}

function isListOfApprovals(expression: Expression): boolean {
  return expression.kind === 'name' && (expression.name === 'approvers' || expression.name === 'credentials')
}
