import type { Approvals } from './evaluate_policies.ts'
import { evaluate } from './language/evaluate.ts'
import { type Expression, partsOf } from './language/syntax.ts'

/**
 * Whether a consensus expression speaks of a user, and so gives the user a vote: one of its predicates over `approvers`
 * or `credentials` holds for the user or one of the user's credentials. An expression that uses these lists without a
 * predicate, such as `approvers.count() >= 2`, speaks of everybody.
 */
export function isSpokenOf(consensus: Expression, theirs: Approvals): boolean {
  if (isListOfApprovals(consensus)) return true
  if (consensus.kind !== 'predicate' || !isListOfApprovals(consensus.of)) {
    return partsOf(consensus).some((part) => isSpokenOf(part, theirs))
  }
  const holds = evaluate({ ...consensus, method: 'any' }, { keywords: theirs })
  return holds.kind === 'value' && holds.value === true
}

function isListOfApprovals(expression: Expression): boolean {
  return expression.kind === 'name' && (expression.name === 'approvers' || expression.name === 'credentials')
}
